"""Lets an executed program under test wait as long as a busy machine takes (tests/kit/patient_products.py)."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

spec = spec_from_file_location("patient_products", Path(__file__).parents[1] / "patient_products.py")
assert spec
assert spec.loader
patient = module_from_spec(spec)
spec.loader.exec_module(patient)
patient.wait_long()
