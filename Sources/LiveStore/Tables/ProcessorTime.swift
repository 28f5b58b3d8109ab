import Foundation

/// How long a thread has worked, without the time that it waited or others worked.
package struct ProcessorTime {
  package let nanoseconds: Int

  /// The time of the current thread until now, by a system call; 0 on a system without such a call.
  package static var ofThread: ProcessorTime {
    #if os(Windows)
      return ProcessorTime(nanoseconds: 0)
    #else
      return ProcessorTime(nanoseconds: Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID))
    #endif
  }

  /// A time that passes no slower than the time of any thread, and is read without a system call.
  static var ofClock: ProcessorTime {
    #if os(Windows)
      return ProcessorTime(nanoseconds: 0)
    #else
      return ProcessorTime(nanoseconds: Self.nanoseconds(CLOCK_MONOTONIC))
    #endif
  }

  #if !os(Windows)
    private static func nanoseconds(_ clock: clockid_t) -> Int {
      var time = timespec()
      guard clock_gettime(clock, &time) == 0 else { return 0 }
      return Int(time.tv_sec) &* 1_000_000_000 &+ Int(time.tv_nsec)
    }
  #endif
}
