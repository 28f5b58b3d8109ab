import LiveStore

#if THREAD_SANITIZER
  typealias Mutex = TracedMutex
#endif
