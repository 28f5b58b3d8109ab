package import Foundation

/// The ends of a pipe that no process has but this one and the one that gets an end as a standard file.
///
/// Each process that another test starts meanwhile inherits the ends of Foundation's `Pipe`. As long as it runs,
/// a writer gets no error when its reader has closed the pipe, and a reader no end when its writer has.
package struct PrivatePipe {
  package let reading: FileHandle
  package let writing: FileHandle

  /// - Parameter hangsUp: whether ``hangUp()`` is called. Then it is a connection, and holds a little less.
  package init(hangsUp: Bool = false) {
    let ends = hangsUp ? Self.connection() : Self.pipe()
    reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
  }

  /// Closes the reading end, as a reader does that has had enough.
  ///
  /// A connection is shut down in all processes: one that is being started has copies of it until its program
  /// begins.
  package func hangUp() throws {
    shutdown(reading.fileDescriptor, Int32(SHUT_RDWR))
    try reading.close()
  }

  /// With a close-on-exec flag from the beginning: another thread may start a process at any time.
  private static func pipe() -> [Int32] {
    var ends: [Int32] = [-1, -1]
    #if os(Linux)
      // `int pipe2(int[2], int)` of <unistd.h>, which the module of the C library leaves out.
      guard let address = dlsym(nil, "pipe2") else { fatalError("no pipe2") }
      let makePipe = unsafeBitCast(
        address, to: (@convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32).self)
      let status = makePipe(&ends, O_CLOEXEC)
    #else
      // Foundation's processes inherit nothing here, so the flag may come a little later.
      let status = Foundation.pipe(&ends)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #endif
    precondition(status == 0, "no pipe: \(String(cString: strerror(errno)))")
    return ends
  }

  private static func connection() -> [Int32] {
    var ends: [Int32] = [-1, -1]
    #if os(Linux)
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      let status = socketpair(AF_UNIX, kind, 0, &ends)
    #else
      let status = socketpair(AF_UNIX, SOCK_STREAM, 0, &ends)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #endif
    precondition(status == 0, "no connection: \(String(cString: strerror(errno)))")
    return ends
  }
}
