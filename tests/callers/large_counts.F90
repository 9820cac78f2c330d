! Collectives by `use mpi_f08` whose counts are of the kind MPI_COUNT_KIND, which only that binding of
! MPI 4's has. What arrives is told from ranks and places.
program large_counts
   use mpi_f08
   implicit none
   integer(MPI_COUNT_KIND), parameter :: n = 1000
   integer :: rank, ranks, root, wrong, total, i
   integer, allocatable :: x(:), y(:)
   integer(MPI_COUNT_KIND), allocatable :: counts(:)
   integer(MPI_ADDRESS_KIND), allocatable :: displs(:)
   type(MPI_Request) :: request

   wrong = 0
   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks)
   root = ranks - 1
   allocate (x(0:n*ranks - 1), y(0:n*ranks - 1), counts(0:ranks - 1), displs(0:ranks - 1))
   do i = 0, ranks - 1
      counts(i) = i + 1
      displs(i) = i*(i + 1)/2 + i
   end do

   x = rank
   call MPI_Bcast(x, n, MPI_INTEGER, root, MPI_COMM_WORLD)
   call expect('bcast', all(x(:n - 1) == root))
   x = rank
   call MPI_Reduce(x, y, n, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD)
   call expect('reduce', rank /= root .or. all(y(:n - 1) == ranks*(ranks - 1)/2))
   call MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
   call expect('allreduce in place', all(x(:n - 1) == ranks*(ranks - 1)/2))
   x = rank
   y = -1
   call MPI_Allgather(x, n, MPI_INTEGER, y, n, MPI_INTEGER, MPI_COMM_WORLD)
   call expect('allgather', all(y == [(i/int(n), i=0, int(n)*ranks - 1)]))
   y = -1
   call MPI_Alltoall(x, n, MPI_INTEGER, y, n, MPI_INTEGER, MPI_COMM_WORLD)
   call expect('alltoall', all(y == [(i/int(n), i=0, int(n)*ranks - 1)]))

   x = [(i, i=0, int(n)*ranks - 1)]
   y = -1
   call MPI_Scatterv(x, counts, displs, MPI_INTEGER, y, counts(rank), MPI_INTEGER, root, MPI_COMM_WORLD)
   call expect('scatterv', all(y(:rank) == x(displs(rank):displs(rank) + rank)) .and. y(rank + 1) == -1)
   y = -1
   call MPI_Allgatherv(x, counts(rank), MPI_INTEGER, y, counts, displs, MPI_INTEGER, MPI_COMM_WORLD)
   do i = 0, ranks - 1
      call expect('allgatherv', all(y(displs(i):displs(i) + i) == x(:i)) .and. y(displs(i) + i + 1) == -1)
   end do
   y = -1
   call MPI_Reduce_scatter(x, y, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
   call expect('reduce_scatter', all(y(:rank) == ranks*x(displs(rank) - rank:displs(rank))))
   x = rank
   call MPI_Scan(x, y, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
   call expect('scan', all(y(:n - 1) == rank*(rank + 1)/2))
   x = rank
   call MPI_Ibcast(x, n, MPI_INTEGER, root, MPI_COMM_WORLD, request)
   call MPI_Wait(request, MPI_STATUS_IGNORE)
   call expect('ibcast', all(x(:n - 1) == root))

   call MPI_Reduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
   if (rank == 0) print '(i0, a)', total, ' wrong'
   call MPI_Finalize()

contains

   subroutine expect(what, holds)
      character(*), intent(in) :: what
      logical, intent(in) :: holds
      if (holds) return
      wrong = wrong + 1
      print '(a, i0, 2a)', 'rank ', rank, ': wrong ', what
   end subroutine
end program
