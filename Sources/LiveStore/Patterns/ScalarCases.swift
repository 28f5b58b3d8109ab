/// The cases of a scalar: the scalars equal to it if case does not count, by mappings of one scalar to one.
enum ScalarCases {
  /// The scalar, and its other cases.
  static func of(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] { groups[folded(scalar)] ?? [scalar] }

  /// One case for all of them: the lower case of the upper case. The dotless i is no case of i.
  private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar == "\u{131}" { return scalar }
    let upper = single(scalar.properties.uppercaseMapping) ?? scalar
    return single(upper.properties.lowercaseMapping) ?? upper
  }

  private static func single(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
  }

  /// The scalars of several cases by their folded case. No scalar above these planes has a case.
  private static let groups: [Unicode.Scalar: [Unicode.Scalar]] = {
    let all = (0...0x1FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
      .filter { $0.properties.isCased || $0.properties.changesWhenCaseMapped }
    return Dictionary(grouping: all, by: folded).filter { $0.value.count > 1 }
  }()
}
