"""A district's year: mailings, requests for another window, certificates of exemption, the year at a glance."""
