"""What is measured: model, wording, labels."""

from longctx.results.subject import Subject


def test_labels_are_told_in_the_order_of_their_names() -> None:
    one = Subject.of("m", "protocol", {"steps": "200", "method": "PI"})
    assert one == Subject.of("m", "protocol", {"method": "PI", "steps": "200"})
    assert str(one) == "m, prompts protocol, method=PI steps=200"
    assert str(Subject.of("m", "mine", {})) == "m, prompts mine"
