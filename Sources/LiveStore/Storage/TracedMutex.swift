#if THREAD_SANITIZER
  import Foundation

  /// The interface of `Synchronization.Mutex` on a `pthread` mutex, for builds under ThreadSanitizer alone.
  ///
  /// On Linux the sanitizer does not see through the standard library's mutex when it is contended and reports
  /// races between its critical sections; a ten-line program shows it. It supports this one. Builds with
  /// `--sanitize thread` pass `-Xswiftc -DTHREAD_SANITIZER`.
  package struct TracedMutex<Value>: ~Copyable, Sendable {
    private let box: Box

    /// Proof of sendability: the value is reached between locking and unlocking alone.
    private final class Box: @unchecked Sendable {
      let handle = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)  // freed in deinit
      var value: Value

      init(_ value: consuming sending Value) {
        self.value = value
        pthread_mutex_init(handle, nil)
      }

      deinit {
        pthread_mutex_destroy(handle)
        handle.deallocate()
      }
    }

    package init(_ value: consuming sending Value) { box = Box(value) }

    package borrowing func withLock<Result, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_mutex_lock(box.handle)
      defer { pthread_mutex_unlock(box.handle) }
      return try body(&box.value)
    }

    package borrowing func withLockIfAvailable<Result, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
      guard pthread_mutex_trylock(box.handle) == 0 else { return nil }
      defer { pthread_mutex_unlock(box.handle) }
      return try body(&box.value)
    }
  }

  typealias Mutex = TracedMutex
#endif
