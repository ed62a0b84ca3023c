import product
import pytest


@pytest.mark.longctx(trials=4)
def test_two_turns(ask, draw):
    berth, fee = draw.integer(10, 99), draw.integer(200, 899)
    first = f"Berth {berth} is free. It costs {fee} crowns a year. Which berth is free?"
    assert str(fee) in product.chat(ask.client("openai"), first, "And what does it cost a year?")


@pytest.mark.longctx(trials=4)
def test_structured(ask, draw):
    berth, fee = draw.integer(10, 99), draw.integer(200, 899)
    quote = product.quoted(
        ask.client("openai"), f"Berth {berth} costs {fee} crowns a year. Give berth and fee as JSON."
    )
    assert (quote.berth, quote.fee) == (berth, fee)


@pytest.mark.longctx(trials=4)
def test_plain(ask, draw):
    number = draw.integer(100, 999)
    assert (
        ask(f"The code is {number}. What is the code? Answer with the number alone.", max_tokens=10).integer() == number
    )
