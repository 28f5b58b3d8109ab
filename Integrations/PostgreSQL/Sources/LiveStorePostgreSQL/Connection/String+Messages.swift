extension String {
  /// The beginning of a value, as errors have it: at most 80 scalars. Of Characters, one may have any number of marks.
  var beginning: String { prefix(ofScalars: 80) }

  /// The text if it has so many scalars at the most, else its beginning with an ellipsis.
  private func prefix(ofScalars count: Int) -> String {
    guard let end = unicodeScalars.index(startIndex, offsetBy: count - 1, limitedBy: endIndex),
      end < endIndex, unicodeScalars.index(after: end) < endIndex
    else { return self }
    return String(self.unicodeScalars[..<end]) + "…"
  }

  /// The text as one line of a log or a terminal, of at most 4,000 scalars: what they would obey or hide is written as in
  /// JSON, and breaks of lines and tabs as blanks. Names and values come from servers, and servers have them from anyone.
  var asMessage: String {
    let text = prefix(ofScalars: 4_000)
    guard text.unicodeScalars.contains(where: { $0.isInvisible }) else { return text }
    var (result, isAfterReturn) = ("", false)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n" where isAfterReturn: break
      case "\n", "\r", "\t": result += " "
      case _ where scalar.isInvisible:
        for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
      isAfterReturn = scalar == "\r"
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether a terminal obeys it or hides it.
  fileprivate var isInvisible: Bool {
    switch value {
    case 0x20..<0x7F: return false
    // These join letters and pictures, and choose their form.
    case 0x200C, 0x200D: return false
    default: break
    }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }
}

extension String {
  /// The first scalars of the text by their numbers, where two texts look alike: `U+0065 U+0301`.
  var scalarNames: String {
    let names = unicodeScalars.prefix(16).map { scalar in
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
    return names.joined(separator: " ") + (unicodeScalars.dropFirst(16).isEmpty ? "" : " …")
  }
}
