! Every collective from Fortran, by mpif.h (MPIF_H), `use mpi` (USE_MPI) or `use mpi_f08` without
! ierror. The same calls as in collectives.c; what arrives is told from ranks and places.
#if defined(MPIF_H) || defined(USE_MPI)
#define END_OF_CALL , ierr)
#define HANDLE(kind) integer
#else
#define END_OF_CALL )
#define HANDLE(kind) type(kind)
#endif

#ifdef MPIF_H
#define MPI_BINDING
#define MPI_INCLUDE include 'mpif.h'
#else
#define MPI_INCLUDE
#ifdef USE_MPI
#define MPI_BINDING use mpi
#else
#define MPI_BINDING use mpi_f08
#endif
#endif

! Open MPI 4 has persistent collectives as extensions.
#ifdef EXTENDED
#define BCAST_INIT MPIX_Bcast_init
#define BARRIER_INIT MPIX_Barrier_init
#else
#define BCAST_INIT MPI_Bcast_init
#define BARRIER_INIT MPI_Barrier_init
#endif

! The second of two operands: what MPI has put there already.
module operation
contains
#if defined(MPIF_H) || defined(USE_MPI)
   subroutine last_of(in, inout, length, datatype)
      integer :: length, datatype, in(length), inout(length)
   end subroutine
#else
   subroutine last_of(in, inout, length, datatype)
      use, intrinsic :: iso_c_binding, only: c_ptr
      use mpi_f08
      type(c_ptr), value :: in, inout
      integer :: length
      type(MPI_Datatype) :: datatype
   end subroutine
#endif
end module

program collectives
   MPI_BINDING
   use operation
#if defined(EXTENDED) && !defined(MPIF_H) && !defined(USE_MPI)
   use mpi_f08_ext
#endif
   implicit none
   MPI_INCLUDE
#if defined(MPIF_H) || (defined(EXTENDED) && defined(USE_MPI))
   external BCAST_INIT, BARRIER_INIT
#endif
   integer, parameter :: n = 1000
   integer :: rank, ranks, place, root, wrong, total, i, ierr
   integer, allocatable :: x(:), y(:), counts(:), displs(:), ints(:)
   HANDLE(MPI_Comm) :: comm, part, grid
   HANDLE(MPI_Datatype) :: every_other, absolute
   HANDLE(MPI_Datatype), allocatable :: types(:)
   HANDLE(MPI_Op) :: last
   HANDLE(MPI_Request) :: request, requests(2)
   integer(MPI_ADDRESS_KIND) :: address(1)
   integer :: lengths(1), dims(1), blocks, both(2)
   logical :: periods(1)
   integer(MPI_ADDRESS_KIND) :: bytes(6)
   HANDLE(MPI_Datatype) :: six_types(6)

   wrong = 0
   call MPI_Init(ierr)
   comm = MPI_COMM_WORLD
   call MPI_Comm_rank(comm, rank END_OF_CALL
   call MPI_Comm_size(comm, ranks END_OF_CALL
   root = ranks - 1
   allocate (x(0:n*ranks - 1), y(0:n*ranks - 1), counts(0:ranks - 1), displs(0:ranks - 1))
   allocate (types(0:ranks - 1), ints(0:ranks - 1))
   do i = 0, ranks - 1
      counts(i) = i + 1
      displs(i) = i*(i + 1)/2 + i
   end do

   x = merge(7, 0, rank == root)
   call MPI_Bcast(x, n, MPI_INTEGER, root, comm END_OF_CALL
   call expect('bcast', all(x(:n - 1) == 7))
   x = rank
   call MPI_Bcast(x(0:n - 1:2), n/2, MPI_INTEGER, root, comm END_OF_CALL
   call expect('bcast of a section', all(x(0:n - 1:2) == root) .and. all(x(1:n - 1:2) == rank))
   call MPI_Type_vector(n/2, 1, 2, MPI_INTEGER, every_other END_OF_CALL
   call MPI_Type_commit(every_other END_OF_CALL
   x = rank
   call MPI_Bcast(x, 1, every_other, root, comm END_OF_CALL
   call MPI_Type_free(every_other END_OF_CALL
   call expect('bcast of a vector', all(x(0:n - 1:2) == root) .and. all(x(1:n - 1:2) == rank))
   call MPI_Get_address(x, address(1) END_OF_CALL
   lengths = n
   call MPI_Type_create_hindexed(1, lengths, address, MPI_INTEGER, absolute END_OF_CALL
   call MPI_Type_commit(absolute END_OF_CALL
   x = rank
   call MPI_Bcast(MPI_BOTTOM, 1, absolute, root, comm END_OF_CALL
#if !defined(MPIF_H) && !defined(USE_MPI)
   if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(x)
#endif
   call MPI_Type_free(absolute END_OF_CALL
   call expect('bcast from the bottom', all(x(:n - 1) == root))

   x = rank
   y = -1
   call MPI_Reduce(x, y, n, MPI_INTEGER, MPI_SUM, root, comm END_OF_CALL
   call expect('reduce', rank /= root .or. all(y(:n - 1) == ranks*(ranks - 1)/2))
   x = rank
   ! Rank 0, because MPICH 4.0.2 itself fails at others.
   if (rank == 0) then
      call MPI_Reduce(MPI_IN_PLACE, x, n, MPI_INTEGER, MPI_SUM, 0, comm END_OF_CALL
   else
      call MPI_Reduce(x, y, n, MPI_INTEGER, MPI_SUM, 0, comm END_OF_CALL
   end if
   call expect('reduce in place', rank /= 0 .or. all(x(:n - 1) == ranks*(ranks - 1)/2))
   x = rank
   call MPI_Allreduce(x, y, n, MPI_INTEGER, MPI_MAX, comm END_OF_CALL
   call expect('allreduce', all(y(:n - 1) == ranks - 1))
   call MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_INTEGER, MPI_SUM, comm END_OF_CALL
   call expect('allreduce in place', all(x(:n - 1) == ranks*(ranks - 1)/2))
   call MPI_Op_create(last_of, .false., last END_OF_CALL
   x = rank
   call MPI_Allreduce(x, y, n, MPI_INTEGER, last, comm END_OF_CALL
   call MPI_Op_free(last END_OF_CALL
   call expect('allreduce of an operation', all(y(:n - 1) == ranks - 1))

   do i = 0, n*ranks - 1
      x(i) = i
   end do
   y = -1
   call MPI_Scatter(x, n, MPI_INTEGER, y, n, MPI_INTEGER, root, comm END_OF_CALL
   call expect('scatter', all(y(:n - 1) == x(rank*n:rank*n + n - 1)))
   y = -1
   if (rank == root) then
      call MPI_Scatter(x, n, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, root, comm END_OF_CALL
   else
      call MPI_Scatter(x, n, MPI_INTEGER, y, n, MPI_INTEGER, root, comm END_OF_CALL
      call expect('scatter in place', all(y(:n - 1) == x(rank*n:rank*n + n - 1)))
   end if
   y = -1
   call MPI_Scatterv(x, counts, displs, MPI_INTEGER, y, rank + 1, MPI_INTEGER, root, comm END_OF_CALL
   call expect('scatterv', all(y(:rank) == x(displs(rank):displs(rank) + rank)) .and. y(rank + 1) == -1)

   y = -1
   call MPI_Gather(x(rank*n), n, MPI_INTEGER, y, n, MPI_INTEGER, root, comm END_OF_CALL
   call expect('gather', rank /= root .or. all(x == y))
   y = -1
   y(rank*n:rank*n + n - 1) = x(rank*n:rank*n + n - 1)
   if (rank == root) then
      call MPI_Gather(MPI_IN_PLACE, n, MPI_INTEGER, y, n, MPI_INTEGER, root, comm END_OF_CALL
      call expect('gather in place', all(x == y))
   else
      call MPI_Gather(y(rank*n), n, MPI_INTEGER, y, n, MPI_INTEGER, root, comm END_OF_CALL
   end if
   y = -1
   call MPI_Gatherv(x, rank + 1, MPI_INTEGER, y, counts, displs, MPI_INTEGER, root, comm END_OF_CALL
   call expect('gatherv', rank /= root .or. arrived_in_parts())
   y = -1
   call MPI_Allgather(x(rank*n), n, MPI_INTEGER, y, n, MPI_INTEGER, comm END_OF_CALL
   call expect('allgather', all(x == y))
   y = -1
   y(rank*n:rank*n + n - 1) = x(rank*n:rank*n + n - 1)
   call MPI_Allgather(MPI_IN_PLACE, n, MPI_INTEGER, y, n, MPI_INTEGER, comm END_OF_CALL
   call expect('allgather in place', all(x == y))
   y = -1
   call MPI_Allgatherv(x, rank + 1, MPI_INTEGER, y, counts, displs, MPI_INTEGER, comm END_OF_CALL
   call expect('allgatherv', arrived_in_parts())

   y = -1
   call MPI_Reduce_scatter(x, y, counts, MPI_INTEGER, MPI_SUM, comm END_OF_CALL
   call expect('reduce_scatter', all(y(:rank) == ranks*x(displs(rank) - rank:displs(rank))))
   y = -1
   call MPI_Reduce_scatter_block(x, y, n, MPI_INTEGER, MPI_SUM, comm END_OF_CALL
   call expect('reduce_scatter_block', all(y(:n - 1) == ranks*x(rank*n:rank*n + n - 1)))
   y = x
   call MPI_Reduce_scatter_block(MPI_IN_PLACE, y, n, MPI_INTEGER, MPI_SUM, comm END_OF_CALL
   call expect('reduce_scatter_block in place', all(y(:n - 1) == ranks*x(rank*n:rank*n + n - 1)))

   x = rank
   y = -1
   call MPI_Alltoall(x, n, MPI_INTEGER, y, n, MPI_INTEGER, comm END_OF_CALL
   call expect('alltoall', all(y == [(i/n, i=0, n*ranks - 1)]))
   call MPI_Alltoall(MPI_IN_PLACE, n, MPI_INTEGER, x, n, MPI_INTEGER, comm END_OF_CALL
   call expect('alltoall in place', all(x == [(i/n, i=0, n*ranks - 1)]))
   x = rank
   y = -1
   ints = rank + 1
   call MPI_Alltoallv(x, counts, displs, MPI_INTEGER, y, ints, [(i*n, i=0, ranks - 1)], MPI_INTEGER, &
                      comm END_OF_CALL
   do i = 0, ranks - 1
      call expect('alltoallv', all(y(i*n:i*n + rank) == i) .and. y(i*n + rank + 1) == -1)
   end do
   call MPI_Barrier(comm END_OF_CALL
   x = rank
   call MPI_Scan(x, y, n, MPI_INTEGER, MPI_SUM, comm END_OF_CALL
   call expect('scan', all(y(:n - 1) == rank*(rank + 1)/2))
   call MPI_Exscan(MPI_IN_PLACE, x, n, MPI_INTEGER, MPI_SUM, comm END_OF_CALL
   call expect('exscan in place', rank == 0 .or. all(x(:n - 1) == rank*(rank - 1)/2))

   call MPI_Comm_split(comm, mod(rank, 2), -rank, part END_OF_CALL
   x = rank
   call MPI_Bcast(x, n, MPI_INTEGER, 0, part END_OF_CALL
   call MPI_Comm_free(part END_OF_CALL
   call expect('bcast of a part', all(x(:n - 1) >= ranks - 2 .and. mod(x(:n - 1) - rank, 2) == 0))

   ! Nonblocking ones, those that are started again, and neighbours.
   x = rank
   call MPI_Ibcast(x, n, MPI_INTEGER, root, comm, request END_OF_CALL
   call MPI_Wait(request, MPI_STATUS_IGNORE END_OF_CALL
   call expect('ibcast', all(x(:n - 1) == root))
   call MPI_Ibarrier(comm, request END_OF_CALL
   call MPI_Wait(request, MPI_STATUS_IGNORE END_OF_CALL
   x = rank
   y = -1
   types = MPI_INTEGER
   ints = 1
   displs = [(4*i, i=0, ranks - 1)]
   call MPI_Alltoallw(x, ints, displs, types, y, ints, displs, types, comm END_OF_CALL
   call expect('alltoallw', all(y(:ranks - 1) == [(i, i=0, ranks - 1)]))
   call BCAST_INIT(x, n, MPI_INTEGER, root, comm, MPI_INFO_NULL, requests(1) END_OF_CALL
   call BARRIER_INIT(comm, MPI_INFO_NULL, requests(2) END_OF_CALL
   do i = 1, 2
      x = rank + i
      call MPI_Startall(2, requests END_OF_CALL
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE END_OF_CALL
      call expect('bcast that is started', all(x(:n - 1) == root + i))
      x = rank - i
      call MPI_Start(requests(1) END_OF_CALL
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE END_OF_CALL
      call expect('bcast that is started again', all(x(:n - 1) == root - i))
   end do
   call MPI_Request_free(requests(1) END_OF_CALL
   call MPI_Request_free(requests(2) END_OF_CALL
   call expect('requests that are freed', all([requests(1) == MPI_REQUEST_NULL, requests(2) == MPI_REQUEST_NULL]))
   x = rank
   dims = ranks
   periods = .true.
   call MPI_Cart_create(comm, 1, dims, periods, .false., grid END_OF_CALL
   y = -1
   call MPI_Neighbor_allgather(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, grid END_OF_CALL
   call expect('neighbor_allgather', y(0) == mod(rank + ranks - 1, ranks) .and. y(1) == mod(rank + 1, ranks))
   ints = n - 1
   displs = [(n*i, i=0, ranks - 1)]
   y = -1
   call MPI_Neighbor_allgatherv(x, n - 1, MPI_INTEGER, y, ints, displs, MPI_INTEGER, grid END_OF_CALL
   call expect('neighbor_allgatherv', from_both(n - 1))
   y = -1
   call MPI_Neighbor_alltoall(x, n, MPI_INTEGER, y, n, MPI_INTEGER, grid END_OF_CALL
   call expect('neighbor_alltoall', from_both(n))
   y = -1
   call MPI_Neighbor_alltoallv(x, ints, displs, MPI_INTEGER, y, ints, displs, MPI_INTEGER, grid END_OF_CALL
   call expect('neighbor_alltoallv', from_both(n - 1))
   y = -1
   call MPI_Ineighbor_alltoall(x, n, MPI_INTEGER, y, n, MPI_INTEGER, grid, request END_OF_CALL
   call MPI_Wait(request, MPI_STATUS_IGNORE END_OF_CALL
   call expect('ineighbor_alltoall', from_both(n))
   call MPI_Comm_free(grid END_OF_CALL
#if defined(MPIF_H) || defined(USE_MPI)
   ! More blocks than ranks; only the last two have neighbours.
   blocks = 6
   call MPI_Cart_create(comm, 3, [1, 1, ranks], [.false., .false., .true.], .false., grid END_OF_CALL
#else
   ! MPICH 4.0.2 itself fails on grids.
   blocks = 2
   both = [mod(rank + ranks - 1, ranks), mod(rank + 1, ranks)]
   call MPI_Dist_graph_create_adjacent(comm, 2, both, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                       .false., grid END_OF_CALL
#endif
   bytes = [(4_MPI_ADDRESS_KIND*n*max(i + 2 - blocks, 0), i=0, 5)]
   six_types = MPI_INTEGER
   y = -1
   call MPI_Neighbor_alltoallw(x, [(n - 1, i=1, 6)], bytes, six_types, y, [(n - 1, i=1, 6)], bytes, six_types, &
                               grid END_OF_CALL
   call expect('neighbor_alltoallw', from_both(n - 1))
   call MPI_Comm_free(grid END_OF_CALL
   call MPI_Cart_create(comm, 1, dims, periods, .true., grid END_OF_CALL
   call MPI_Comm_rank(grid, place END_OF_CALL
   x = place
   y = -1
   call MPI_Neighbor_allgather(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, grid END_OF_CALL
   call expect('reordered', y(0) == mod(place + ranks - 1, ranks) .and. y(1) == mod(place + 1, ranks))
   call MPI_Comm_free(grid END_OF_CALL

   ! MPI says what is wrong, if it is asked to.
   call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN END_OF_CALL
   call MPI_Bcast(x, -1, MPI_INTEGER, root, comm, ierr)
   call expect('an error is returned', ierr /= MPI_SUCCESS)

   call MPI_Reduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, 0, comm END_OF_CALL
   if (rank == 0) print '(i0, a)', total, ' wrong'
   call MPI_Finalize(ierr)

contains

   subroutine expect(what, holds)
      character(*), intent(in) :: what
      logical, intent(in) :: holds
      if (holds) return
      wrong = wrong + 1
      print '(a, i0, 2a)', 'rank ', rank, ': wrong ', what
   end subroutine

   logical function from_both(length)
      integer, intent(in) :: length
      from_both = all(y(:length - 1) == mod(rank + ranks - 1, ranks)) .and. y(length) == merge(mod(rank + 1, ranks), -1, length == n) &
                  .and. all(y(n:n + length - 1) == mod(rank + 1, ranks)) .and. y(n + length) == -1
   end function

   logical function arrived_in_parts()
      integer :: j
      arrived_in_parts = .true.
      do j = 0, ranks - 1
         if (any(y(displs(j):displs(j) + j) /= [(i, i=0, j)])) arrived_in_parts = .false.
         if (y(displs(j) + j + 1) /= -1) arrived_in_parts = .false.
      end do
   end function
end program
