import CPostgreSQL
import Foundation

/// The options of a connection string: what libpq reads from it, without its defaults.
package struct ConnectionOptions: Sendable {
  private(set) var values: [(key: String, value: String)] = []

  /// Reads a URI or a list of `key=value`.
  ///
  /// - Throws: `invalidConnectionString`. The error quotes nothing of the string, as that may be part of a
  ///   password.
  package init(_ connectionString: String) throws {
    guard connectionString.utf8.contains(0) == false else { throw Self.malformed("it has a zero byte") }
    var reason: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(connectionString, &reason) else {
      defer { PQfreemem(reason) }
      throw Self.malformed(Self.withoutQuotations(PostgresError.trimmed(reason)))
    }
    defer { PQconninfoFree(options) }
    var option = options
    while let key = option.pointee.keyword {
      if let value = option.pointee.val { values.append((String(cString: key), String(cString: value))) }
      option += 1
    }
    let isURI = ["postgresql://", "postgres://"].contains { connectionString.utf8.starts(with: $0.utf8) }
    try validate(isURI: isURI)
  }

  /// The value of an option; nil if it is not in the string, or empty, which libpq takes for missing.
  package subscript(_ key: String) -> String? {
    get { values.last { $0.key == key && !$0.value.isEmpty }?.value }
    set {
      values.removeAll { $0.key == key }
      if let newValue { values.append((key, newValue)) }
    }
  }

  /// What no error may show. Of two or three characters nothing can be hidden without mutilating every text.
  var secrets: [String] {
    ["password", "sslpassword"].compactMap { self[$0] }.filter { $0.unicodeScalars.count > 3 }
  }

  /// The options for each host of a list, in order, so that time can be shared among them; one, if there is
  /// no list.
  ///
  /// libpq goes to the next host by itself when one refuses the connection, but waits for one that does not
  /// answer.
  package var hosts: [ConnectionOptions] {
    let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
    guard let count = (addresses ?? names)?.count, count > 1, names.map({ $0.count == count }) ?? true else {
      return [self]
    }
    let each = (0..<count).map { index in
      var options = self
      if let names { options["host"] = names[index] }
      if let addresses { options["hostaddr"] = addresses[index] }
      if let ports { options["port"] = ports[ports.count == 1 ? 0 : index] }
      return options
    }
    guard self["target_session_attrs"] == "prefer-standby" else { return each }
    return ["standby", "any"].flatMap { kind in
      each.map { options in
        var options = options
        options["target_session_attrs"] = kind
        return options
      }
    }
  }

  /// The parts of an option that is a list, as libpq finds them.
  private func list(_ key: String) -> [String]? {
    self[key]?.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
  }

  /// Finds mistakes that libpq would report with a part of the password in its message.
  private func validate(isURI: Bool) throws {
    let ports = list("port") ?? []
    guard ports.allSatisfy({ $0.isEmpty || UInt16($0).map { $0 > 0 } ?? false }) else {
      throw Self.malformed(
        "a port is a number from 1 to 65535; in a URI, '/', ':', '@' and '#' of a password are escaped")
    }
    for key in ["host", "hostaddr"] {
      guard let scalars = self[key]?.unicodeScalars, let count = list(key)?.count else { continue }
      guard ports.count <= 1 || ports.count == count else {
        throw Self.malformed("it has \(count) hosts, but \(ports.count) ports")
      }
      // Names of sockets have them. In a URI, what is behind one is more likely the rest of a password.
      let isRight = scalars.split(separator: ",").allSatisfy { scalars in
        let isSocket = scalars.first == "@" || scalars.first == "/"
        return !(isURI || !isSocket ? scalars.dropFirst() : []).contains("@")
      }
      guard isRight else {
        throw Self.malformed("a host's name has an '@'; in a URI, write that of a password as '%40'")
      }
    }
  }

  private static func malformed(_ reason: String) -> PostgresError {
    let scalars = reason.unicodeScalars
    let reason = scalars.last == "." ? String(scalars.dropLast()) : reason
    return PostgresError(
      PostgresError.invalidConnectionString,
      "The connection string is malformed: \(reason). "
        + "Write 'postgresql://user:password@host:port/database' or 'host=… user=… dbname=…'.")
  }

  /// How messages of libpq begin that quote what is no part of the string.
  private static let beginnings = [
    "missing \"=\" after ", "missing key/value separator \"=\" in ", "extra key/value separator \"=\" in ",
  ]

  /// A message of libpq up to the first quotation mark and from the last, of whatever language: what is between, or behind
  /// a single one, may be of the string, and have such marks of its own.
  private static func withoutQuotations(_ text: String) -> String {
    let beginning = beginnings.first { text.utf8.starts(with: $0.utf8) } ?? ""
    let scalars = text.unicodeScalars.dropFirst(beginning.unicodeScalars.count)
    func isMark(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isQuotationMark && scalar != "'" }
    guard let first = scalars.firstIndex(where: isMark), let last = scalars.lastIndex(where: isMark) else {
      return beginning + String(scalars)
    }
    let end = first < last ? String(scalars[scalars.index(after: last)...]) : ""
    return beginning + String(scalars[..<first]) + "'…'" + end
  }
}
