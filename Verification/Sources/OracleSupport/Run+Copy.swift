import LiveStore

extension Run {
  /// A store that starts with what another holds, and has versions of its own.
  func writeCopy(_ random: inout Randomness) async throws {
    guard let (snapshot, model) = random.pickAny(held) else { return }
    let copy = Store(copying: snapshot)
    defer { copy.close() }
    note("Store(copying: version \(snapshot.version)), written {")
    try compare(copy.snapshot(), model)
    var writer = Writer(model, random, palette)
    let count = 1 + random.below(6)
    do {
      try await copy.write { tx in try writer.run(tx, count: count) }
    } catch let finding as Finding {
      throw finding
    } catch {
      writer.model = model
    }
    for line in writer.log { note("  " + line) }
    note("}")
    try compare(copy.snapshot(), writer.model)
    try compare(snapshot, model)
  }
}
