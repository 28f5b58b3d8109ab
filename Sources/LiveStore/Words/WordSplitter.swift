/// Splits text into the words by which it is searched.
///
/// The rules are those of Unicode word boundaries (Unicode Standard Annex 29), simplified:
///
/// - Letters, digits and the marks after them run together; everything else separates words. So `don't` is two words,
///   and so is `snake_case`.
/// - In scripts that put no spaces between words, each letter with its marks is a word: ideographs, kana, Thai, Lao,
///   Khmer, Burmese and their like. There a search for a word is one for neighbouring letters.
/// - Case and diacritics do not count, as Foundation folds them. Combining diacritical marks and format characters,
///   such as a soft hyphen, never count.
///
/// A word is the UTF-8 of its canonical composition. Canonically equivalent texts have equal words (K1).
package enum WordSplitter {
  /// Calls `body` with each word of a text, in order, until it returns false.
  ///
  /// - Complexity: O(length).
  package static func forEachWord(in text: String, _ body: ([UInt8]) -> Bool) {
    var text = text
    text.withUTF8 { bytes in
      var word: [UInt8] = []
      var place = 0
      while let run = WordRun(bytes, from: place) {
        place = run.end
        let goesOn =
          run.isSimple
          ? forEachWord(ofSimple: bytes[run.start..<run.end], &word, body)
          : words(of: String(decoding: bytes[run.start..<run.end], as: UTF8.self)).allSatisfy(body)
        if !goesOn { return }
      }
    }
  }

  package static func words(in text: String) -> [[UInt8]] {
    var words: [[UInt8]] = []
    forEachWord(in: text) {
      words.append($0)
      return true
    }
    return words
  }

  /// - Parameter word: memory that is used again for each word.
  /// - Returns: whether `body` always returned true.
  private static func forEachWord(
    ofSimple run: Slice<UnsafeBufferPointer<UInt8>>, _ word: inout [UInt8], _ body: ([UInt8]) -> Bool
  ) -> Bool {
    word.removeAll(keepingCapacity: true)
    var standsAlone = false
    var place = run.startIndex
    while place < run.endIndex {
      let code = WordCode(of: run.base.scalar(&place))
      if standsAlone || code.standsAlone, !word.isEmpty {
        guard body(word) else { return false }
        word.removeAll(keepingCapacity: true)
      }
      standsAlone = code.standsAlone
      append(code.folded, to: &word)
    }
    return body(word)
  }

  /// The words of a run of letters, digits and marks, folded by Foundation.
  package static func words(of run: String) -> [[UInt8]] {
    let folding = PatternFolding(isCaseInsensitive: true, isDiacriticInsensitive: true)
    var (words, word, standsAlone): ([[UInt8]], [UInt8], Bool) = ([], [], false)
    func end() {
      if !word.isEmpty { words.append(word) }
      (word, standsAlone) = ([], false)
    }
    let folded = folding.fold(run.composed.withoutDiacriticalMarks).withoutDiacriticalMarks.composed
    for scalar in folded.unicodeScalars {
      switch WordPart(scalar) {
      case .format: continue
      case .mark: if word.isEmpty { continue }
      case .separator:
        end()
        continue
      case .letter:
        let isAlone = scalar.isWordByItself
        if standsAlone || isAlone { end() }
        standsAlone = isAlone
      }
      append(scalar.value, to: &word)
    }
    end()
    return words
  }

  private static func append(_ scalar: UInt32, to word: inout [UInt8]) {
    if scalar < 0x80 {
      word.append(UInt8(truncatingIfNeeded: scalar))
    } else if let scalar = Unicode.Scalar(scalar) {
      word.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }
}

extension String {
  /// Foundation leaves diacritical marks where a letter has none in its script, or several.
  fileprivate var withoutDiacriticalMarks: String {
    if !unicodeScalars.contains(where: \.isDiacriticalMark) { return self }
    return String(String.UnicodeScalarView(unicodeScalars.lazy.filter { !$0.isDiacriticalMark }))
  }
}

/// The longest run of letters, digits, marks and format characters from a place on.
private struct WordRun {
  private(set) var start: Int
  private(set) var end: Int
  /// Whether each scalar is folded by itself.
  private(set) var isSimple = true

  /// Nil if there is none.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, from place: Int) {
    (start, end) = (place, place)
    while start < bytes.count, WordCode(of: bytes.scalar(&end)).isSeparator { start = end }
    guard start < bytes.count else { return nil }
    end = start
    var next = start
    while next < bytes.count {
      let code = WordCode(of: bytes.scalar(&next))
      if code.isSeparator { return }
      if !code.isSimple { isSimple = false }
      end = next
    }
  }
}
