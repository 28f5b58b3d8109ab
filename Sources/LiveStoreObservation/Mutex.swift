import LiveStore

#if THREAD_SANITIZER
  // The sanitizer does not see through the standard library's mutex on Linux.
  typealias Mutex = TracedMutex
#endif
