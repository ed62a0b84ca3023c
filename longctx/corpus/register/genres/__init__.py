"""The kinds of document that an issue of the register has, each in a file of its own."""

from longctx.corpus.register.genres import (
    airworthiness,
    broadcasting,
    collections,
    corrections,
    duties,
    fees,
    fisheries,
    grants,
    licenses,
    meetings,
    permits,
    records,
    spectrum,
    substances,
    waivers,
    zones,
)

GENRES = tuple(
    module.GENRE
    for module in (
        airworthiness,
        broadcasting,
        collections,
        corrections,
        duties,
        fees,
        fisheries,
        grants,
        licenses,
        meetings,
        permits,
        records,
        spectrum,
        substances,
        waivers,
        zones,
    )
)
