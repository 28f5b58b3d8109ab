import LiveStore

/// How objects are written in the input.
package enum InputFormat: String, OptionChoice, Hashable {
  case json, csv, tsv, logfmt

  /// What a line is.
  package var summary: String {
    switch self {
    case .json: "an object a line"
    case .csv: "rows below a row of paths, quoted as in RFC 4180"
    case .tsv: "rows below a row of paths, with \\t \\n \\r \\\\ in values"
    case .logfmt: "lines of name=value name=\"value\" name"
    }
  }

  /// Whether the first row of a file has the paths of the values.
  var hasTitles: Bool { self == .csv || self == .tsv }
}

/// Why a row is not an object.
package struct RowMistake: Error, Hashable {
  /// The reason, for a message.
  package let reason: String

  /// A reason.
  package init(reason: String) {
    self.reason = reason
  }
}

/// A value in a row.
struct InputField: Hashable {
  var text = ""
  /// Quoted values are always text.
  var isQuoted = false

  /// The value: a number if it is written as the tool prints it, so that `007` and `1.50` stay text; true and false;
  /// else text. Nothing is no value; in quotes it is the empty text.
  var value: JSONValue? {
    if isQuoted { return .string(text) }
    if text.isEmpty { return Optional.none }
    // By bytes: a letter may have any number of marks, and comparing it as text would take long.
    if text.utf8.elementsEqual("true".utf8) { return .bool(true) }
    if text.utf8.elementsEqual("false".utf8) { return .bool(false) }
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
      let value = try? JSONValue(parsing: text), case .number(let number) = value, number.description == text
    else { return .string(text) }
    return value
  }
}

extension InputFormat {
  /// The fields of a row, up to a number of them, and how many there are.
  func fields(_ row: String, atMost maximum: Int) throws(RowMistake) -> (fields: [InputField], count: Int) {
    var (fields, count): ([InputField], Int) = ([], 0)
    func add(_ field: InputField) {
      if count < maximum { fields.append(field) }
      count += 1
    }
    if self == .tsv {
      var rest = row[...]
      while let tab = rest.unicodeScalars.firstIndex(of: "\t") {
        add(InputField(text: Self.unescaped(rest.unicodeScalars[..<tab])))
        rest = Substring(rest.unicodeScalars[tab...].dropFirst())
      }
      add(InputField(text: Self.unescaped(rest.unicodeScalars)))
    } else {
      try Self.forEachCommaField(row, add)
    }
    return (fields, count)
  }

  private static func unescaped(_ scalars: Substring.UnicodeScalarView) -> String {
    guard scalars.contains("\\") else { return String(scalars) }
    var (result, isEscaped) = ("", false)
    for scalar in scalars {
      if isEscaped {
        switch scalar {
        case "t": result += "\t"
        case "n": result += "\n"
        case "r": result += "\r"
        case "\\": result += "\\"
        default:
          result += "\\"
          result.unicodeScalars.append(scalar)
        }
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return isEscaped ? result + "\\" : result
  }

  private static func forEachCommaField(
    _ row: String, _ body: (InputField) -> Void
  ) throws(RowMistake) {
    var number = 1
    var (field, isOpen, isClosed) = (InputField(), false, false)
    var scalars = row.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      if isOpen {
        if scalar != "\"" {
          field.text.unicodeScalars.append(scalar)
        } else if scalars.first == "\"" {
          field.text.unicodeScalars.append(scalar)
          scalars = scalars.dropFirst()
        } else {
          (isOpen, isClosed) = (false, true)
        }
      } else if scalar == "," {
        body(field)
        number += 1
        (field, isClosed) = (InputField(), false)
      } else if scalar == "\"", field.text.isEmpty, !isClosed {
        (isOpen, field.isQuoted) = (true, true)
      } else {
        guard !isClosed, scalar != "\"" else {
          throw RowMistake(reason: "field \(number): a quote is neither at its ends nor doubled")
        }
        field.text.unicodeScalars.append(scalar)
      }
    }
    if isOpen { throw RowMistake(reason: "field \(number): the quote is not closed") }
    body(field)
  }

  /// The names and values of a line of logfmt.
  static func pairs(_ line: String) throws(RowMistake) -> [(name: String, field: InputField)] {
    var pairs: [(name: String, field: InputField)] = []
    var scalars = line.unicodeScalars.drop { $0 == " " || $0 == "\t" }
    while !scalars.isEmpty {
      let name = String(String.UnicodeScalarView(scalars.prefix { $0 != "=" && $0 != " " && $0 != "\t" }))
      scalars = scalars.dropFirst(name.unicodeScalars.count)
      guard !name.isEmpty, !name.unicodeScalars.contains("\"") else {
        let found = name + String(String.UnicodeScalarView(scalars.prefix(20)))
        throw RowMistake(reason: "expected name=value, found \(found)")
      }
      var field = InputField(text: "true")
      if scalars.first == "=" {
        scalars = scalars.dropFirst()
        field = try value(&scalars, of: name)
      }
      guard pairs.count < RowObjects.maximumColumns else {
        throw RowMistake(reason: "more than \(RowObjects.maximumColumns) names")
      }
      pairs.append((name, field))
      scalars = scalars.drop { $0 == " " || $0 == "\t" }
    }
    return pairs
  }

  private static func value(_ scalars: inout Substring.UnicodeScalarView, of name: String) throws(RowMistake)
    -> InputField
  {
    var field = InputField()
    guard scalars.first == "\"" else {
      field.text = String(String.UnicodeScalarView(scalars.prefix { $0 != " " && $0 != "\t" }))
      scalars = scalars.dropFirst(field.text.unicodeScalars.count)
      return field
    }
    field.isQuoted = true
    scalars = scalars.dropFirst()
    while let scalar = scalars.popFirst() {
      if scalar == "\"" { return field }
      guard scalar == "\\", let escaped = scalars.popFirst() else {
        field.text.unicodeScalars.append(scalar)
        continue
      }
      switch escaped {
      case "n": field.text += "\n"
      case "t": field.text += "\t"
      case "r": field.text += "\r"
      default: field.text.unicodeScalars.append(escaped)
      }
    }
    throw RowMistake(reason: "the quote of \(name) is not closed")
  }
}
