/// A connection of libpq on its way between threads.
///
/// Sendable without a check, as libpq binds no connection to a thread, and each is used by one thread at a
/// time: a task that hands it to a queue waits for the queue's work, or does not use it again.
struct ConnectionPointer: @unchecked Sendable {
  let raw: OpaquePointer
}
