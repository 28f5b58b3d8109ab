/// The colours of lines on a terminal, by their ANSI codes.
package enum TextColor: String, Hashable, Sendable {
  /// As it is.
  case plain = ""
  /// Headings.
  case bold = "1"
  /// Deletions.
  case red = "31"
  /// Insertions.
  case green = "32"
  /// Modifications.
  case yellow = "33"
  /// Moves.
  case cyan = "36"

  /// The text in this colour, as it is if colours are off.
  package func paint(_ text: String, isOn: Bool) -> String {
    isOn && self != .plain ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension ColorMode {
  /// Whether to use colours: in doubt on a terminal that can show them, unless `NO_COLOR` is set.
  package func isOn(isTerminal: Bool, environment: [String: String]) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto:
      isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
  }
}
