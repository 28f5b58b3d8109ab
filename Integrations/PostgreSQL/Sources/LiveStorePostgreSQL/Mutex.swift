#if THREAD_SANITIZER
  package import LiveStore

  // The sanitizer does not see through the standard library's mutex on Linux.
  package typealias Mutex = TracedMutex
#endif
