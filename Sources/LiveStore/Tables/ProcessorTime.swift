import Foundation

/// How long a thread has worked, without the time that it waited or others worked.
package struct ProcessorTime {
  package let nanoseconds: Int

  /// That of the current thread until now, by a call of the system; 0 on a system that does not say.
  package static var ofThread: ProcessorTime {
    #if os(Windows)
      return ProcessorTime(nanoseconds: 0)
    #else
      return ProcessorTime(nanoseconds: Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID))
    #endif
  }

  /// A time that passes no slower than that of any thread, and takes no call of the system to ask for.
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
