"""What a lecturer takes along: a page with links, hand-out, answers, questions for Moodle."""
