"""Folds the answers of the section "Questions" at the end of a step, each under its question."""

from xml.etree.ElementTree import Element, SubElement

from markdown.treeprocessors import Treeprocessor


class FoldedQuestions(Treeprocessor):
    """Puts what follows a question, a heading of the third level there, into a fold.

    The question is the summary of the fold, and stays a heading with an anchor: so it is a section
    for the search, and a link to it unfolds it. It has no sign with a link to itself: a summary is
    pressed as a whole, and nothing in it can be pressed besides.
    """

    def run(self, root: Element) -> None:
        """Fold the questions of a page, if it has any."""
        elements = list(root)
        begins = (i for i, each in enumerate(elements) if each.get("id") == "questions")
        fold = None
        for element in elements[next(begins, len(elements)) + 1 :]:
            root.remove(element)
            if element.tag == "h3":
                fold = SubElement(root, "details", {"class": "question"})
                SubElement(fold, "summary").append(without_sign(element))
            elif fold is not None:
                fold.append(element)
            else:
                root.append(element)


def without_sign(heading: Element) -> Element:
    """Return a heading without the link to itself that toc has put at its end."""
    for sign in heading.findall("a[@class='headerlink']"):
        heading.remove(sign)
    return heading
