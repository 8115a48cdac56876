"""What leaves the page: a link, code, files, a page that stands alone, a still picture, a lecture."""
