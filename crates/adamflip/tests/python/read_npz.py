"""Prints what NumPy finds in an NPZ or NPY file: names, shapes, and the bits of all numbers."""

import sys
import zipfile

import numpy

path = sys.argv[1]
if path.endswith(".npz"):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    with numpy.load(path) as file:
        arrays = dict(file)
else:
    arrays = {"": numpy.load(path)}
for name, array in arrays.items():
    assert array.dtype == numpy.float64 and array.flags.c_contiguous
    bits = " ".join(f"{bits:x}" for bits in array.reshape(-1).view(numpy.uint64))
    print(f"{name}|{' '.join(map(str, array.shape))}|{bits}")
