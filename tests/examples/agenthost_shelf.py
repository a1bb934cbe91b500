"""Everything that a tool may take and give back, shown on a shelf of books."""

import asyncio
from base64 import b64decode
from typing import Annotated, Any, Literal, NotRequired

from agenthost import CallContext, Content, Image, Result, Text, Tool, ToolError, hookimpl, tool
from pydantic import BaseModel, Field
from typing_extensions import TypedDict  # typing.TypedDict from Python 3.12 on

PIXEL = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")


class Book(TypedDict):
    id: str
    title: str
    year: int
    lent_to: NotRequired[str]


class Stock(BaseModel):
    books: int
    lent: int


BOOKS: dict[str, Book] = {
    "b1": {"id": "b1", "title": "The Wind in the Reeds", "year": 1899},
    "b2": {"id": "b2", "title": "Reeds and Rushes", "year": 1931},
}

BookId = Annotated[str, Field(alias="bookId", description="As shelf_find_books gives it.")]


def get(book_id: str) -> Book:
    if book_id not in BOOKS:
        raise ToolError(f"There is no book {book_id!r}. Call shelf_find_books for the ids.")
    return BOOKS[book_id]


@tool(annotations={"readOnlyHint": True})
def shelf_find_books(
    words: Annotated[str, Field(description="Words of the title.", min_length=1)],
    order: Literal["title", "year"] = "title",
    limit: Annotated[int, Field(ge=1, le=50, description="At most so many, 1 to 50.")] = 10,
) -> list[Book]:
    """Find books by words of their titles. Then call shelf_lend_book with a bookId."""
    found = [book for book in BOOKS.values() if words.lower() in book["title"].lower()]
    return sorted(found, key=lambda book: book[order])[:limit]


@tool(aliases=("shelf.get",))
def shelf_get_book(book_id: BookId) -> Book:
    """Get one book by its id."""
    return get(book_id)


@tool
def shelf_lend_book(book_id: BookId, to: str) -> Result[Book]:
    """Lend a book to someone. It fails when the book is not there."""
    book = get(book_id)
    if holder := book.get("lent_to"):
        raise ToolError(f"{book['title']} is lent to {holder}. Ask them, or choose another book.", {"lent_to": holder})
    book["lent_to"] = to
    return Result(f"{book['title']} ({book_id}, {book['year']}) is now lent to {to}.", structured=book)


@tool
def shelf_count() -> Stock:
    """Count the books, and how many of them are lent."""
    return Stock(books=len(BOOKS), lent=sum("lent_to" in book for book in BOOKS.values()))


@tool
def shelf_show_cover(book_id: BookId) -> list[Content]:
    """Show the cover of a book."""
    return [Text(f"The cover of {get(book_id)['title']}:"), Image(PIXEL, "image/png")]


@tool(time_limit=300)
async def shelf_dust(ctx: CallContext[Any]) -> str:
    """Dust all books, one after the other."""
    for number, book in enumerate(BOOKS.values(), start=1):
        ctx.progress(number, len(BOOKS), book["title"])
        await asyncio.sleep(0.01)
    ctx.log("info", "the duster needs washing")
    return f"{len(BOOKS)} books are clean."


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [shelf_find_books, shelf_get_book, shelf_lend_book, shelf_count, shelf_show_cover, shelf_dust]
