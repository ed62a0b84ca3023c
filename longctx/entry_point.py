"""What pytest loads of an installed longctx, under the name `longctx`: `-p no:longctx` leaves it out.

It names the plugin, so that a conftest.py with pytest_plugins = ["longctx.plugin"] means the same one.
"""

pytest_plugins = ["longctx.plugin"]
