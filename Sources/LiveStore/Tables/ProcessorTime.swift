import Foundation

/// How long a thread has worked, without the time that it waited or others worked.
package struct ProcessorTime {
  package let nanoseconds: Int

  /// That of the current thread until now; 0 on a system that does not say.
  package static var ofThread: ProcessorTime {
    #if os(Windows)
      return ProcessorTime(nanoseconds: 0)
    #else
      var time = timespec()
      guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return ProcessorTime(nanoseconds: 0) }
      return ProcessorTime(nanoseconds: Int(time.tv_sec) &* 1_000_000_000 &+ Int(time.tv_nsec))
    #endif
  }
}
