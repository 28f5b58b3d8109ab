extension String {
  /// The texts before, between and behind the separators, also empty ones.
  func parts(at separator: Unicode.Scalar, maxSplits: Int = .max) -> [String] {
    unicodeScalars.split(separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: false)
      .map { String($0) }
  }

  /// The same, but for separators in quotation marks; a mark that is not closed is a character like others.
  func unquotedParts(at separator: Unicode.Scalar, maxSplits: Int = .max) -> [String] {
    var parts = [""]
    var rest = unicodeScalars[...]
    // Where no mark of a kind follows, none is looked for again.
    var closed: Set<Unicode.Scalar> = ["\"", "'", "`"]
    while let scalar = rest.popFirst() {
      if scalar == separator, parts.count <= maxSplits {
        parts.append("")
        continue
      }
      parts[parts.count - 1].unicodeScalars.append(scalar)
      guard closed.contains(scalar) else { continue }
      guard let end = Self.end(of: scalar, in: rest) else {
        closed.remove(scalar)
        continue
      }
      parts[parts.count - 1].unicodeScalars.append(contentsOf: rest[..<end])
      rest = rest[end...]
    }
    return parts
  }

  private static func end(of mark: Unicode.Scalar, in scalars: Substring.UnicodeScalarView) -> String.Index? {
    var (index, isEscaped) = (scalars.startIndex, false)
    while index < scalars.endIndex {
      let scalar = scalars[index]
      index = scalars.index(after: index)
      if scalar == mark, !isEscaped { return index }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return nil
  }
}
