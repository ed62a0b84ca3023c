"""Subjects: model, prompt set and labels."""

from longctx.results.row import Subject


def test_labels_are_shown_in_the_order_of_their_names() -> None:
    subject = Subject.of("m", "protocol", {"steps": "200", "method": "PI"})
    assert subject == Subject.of("m", "protocol", {"method": "PI", "steps": "200"})
    assert str(subject) == "m, prompts protocol, method=PI steps=200"
    assert str(Subject.of("m", "mine", {})) == "m, prompts mine"
