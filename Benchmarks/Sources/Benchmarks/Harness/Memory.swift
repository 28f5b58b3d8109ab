import CMemory

/// Bytes that are allocated and not freed. Without what the allocator itself holds back, so that figures do not depend
/// on what ran before; 0 where the C library cannot say.
func liveBytes() -> Int { live_bytes() }

extension Session {
  /// Bytes that `make` leaves allocated while its result is alive.
  func bytes<Value>(_ make: () async throws -> Value) async throws -> (Value, Int) {
    await quiesce()
    let before = liveBytes()
    let value = try await make()
    await quiesce()
    return (value, liveBytes() - before)
  }
}
