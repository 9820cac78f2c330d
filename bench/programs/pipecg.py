"""A pipelined conjugate gradient of PETSc, whose sums go on beside the product with the matrix: Poisson's equation on a square.

    pipecg.py SIDE

Prints iterations and the solution's norm.
"""

import sys

from petsc4py import PETSc


def poisson(side):
    """Five-point stencil; each rank has consecutive rows."""
    matrix = PETSc.Mat().createAIJ([side * side, side * side], nnz=(5, 2))
    begin, end = matrix.getOwnershipRange()
    for row in range(begin, end):
        x, y = row % side, row // side
        matrix[row, row] = 4.0
        for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if 0 <= x + dx < side and 0 <= y + dy < side:
                matrix[row, row + dx + side * dy] = -1.0
    matrix.assemble()
    return matrix


def main():
    matrix = poisson(int(sys.argv[1]))
    solution, given = matrix.createVecs()
    given.set(1.0)
    solver = PETSc.KSP().create()
    solver.setOperators(matrix)
    solver.setType("pipecg")
    solver.getPC().setType("jacobi")
    solver.setTolerances(rtol=1e-8)
    solver.solve(given, solution)
    norm = solution.norm()
    PETSc.Sys.Print(f"reason {solver.getConvergedReason()}")
    PETSc.Sys.Print(f"iterations {solver.getIterationNumber()} norm {norm:.12g}")


if __name__ == "__main__":
    main()
