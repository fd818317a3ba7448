"""Fees: what a county charges, what is paid, waived and given back, and the roll that goes onto the tax bill."""
