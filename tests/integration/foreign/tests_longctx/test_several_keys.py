from several_keys import several_keys as test_several_keys

__all__ = ["test_several_keys"]
