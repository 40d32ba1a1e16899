"""Prints what VTK finds in image files: dimensions, origin, spacing, and the numbers of every array."""

import sys

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLImageDataReader

for path in sys.argv[1:]:
    reader = vtkXMLImageDataReader()
    assert reader.CanReadFile(path), path
    reader.SetFileName(path)
    reader.Update()
    assert reader.GetErrorCode() == 0, path
    image = reader.GetOutput()
    numbers = lambda values: " ".join(repr(float(value)) for value in values)
    print(" ".join(map(str, image.GetDimensions())))
    print(numbers(image.GetOrigin()))
    print(numbers(image.GetSpacing()))
    data = image.GetPointData()
    for index in range(data.GetNumberOfArrays()):
        array = data.GetArray(index)
        assert array.GetDataTypeAsString() == "double", array
        print(f"{array.GetName()}|{numbers(vtk_to_numpy(array))}")
