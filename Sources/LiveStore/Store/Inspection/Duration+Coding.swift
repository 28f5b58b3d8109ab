// Durations in JSON are numbers of seconds. The synthesised coding of the types in this folder uses these functions,
// as they are more specific than the generic ones.

extension KeyedEncodingContainer {
  mutating func encode(_ duration: Duration, forKey key: Key) throws {
    try encode(duration / .seconds(1), forKey: key)
  }
}

extension KeyedDecodingContainer {
  func decode(_: Duration.Type, forKey key: Key) throws -> Duration {
    let seconds = try decode(Double.self, forKey: key)
    // A duration has seconds of 64 bits.
    guard abs(seconds) < 0x1p62 else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "no number of seconds")
    }
    return .seconds(seconds)
  }
}
