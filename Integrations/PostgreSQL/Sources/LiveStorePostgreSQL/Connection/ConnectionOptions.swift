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
    try validate()
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
  var secrets: [String] { ["password", "sslpassword"].compactMap { self[$0] }.filter { $0.count > 3 } }

  /// The options for each host of a list, in order, so that time can be shared among them; one, if there is
  /// no list.
  ///
  /// libpq goes to the next host by itself when one refuses the connection, but waits for one that does not
  /// answer.
  package var hosts: [ConnectionOptions] {
    func list(_ key: String) -> [String]? {
      self[key]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
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

  /// Finds mistakes that libpq would report with a part of the password in its message.
  private func validate() throws {
    let ports = self["port"]?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    guard ports.allSatisfy({ $0.isEmpty || UInt16($0).map { $0 > 0 } ?? false }) else {
      throw Self.malformed(
        "a port is a number from 1 to 65535; in a URI, '/', ':', '@' and '#' of a password are escaped")
    }
    for host in [self["host"], self["hostaddr"]].compactMap(\.self) {
      let count = host.split(separator: ",", omittingEmptySubsequences: false).count
      guard ports.count <= 1 || ports.count == count else {
        throw Self.malformed("it has \(count) hosts, but \(ports.count) ports")
      }
      guard !host.contains("@") || host.hasPrefix("@") || host.hasPrefix("/") else {
        throw Self.malformed("a host's name has an '@'; in a URI, write that of a password as '%40'")
      }
    }
  }

  private static func malformed(_ reason: String) -> PostgresError {
    let reason = reason.last == "." ? String(reason.dropLast()) : reason
    return PostgresError(
      PostgresError.invalidConnectionString,
      "The connection string is malformed: \(reason). "
        + "Write 'postgresql://user:password@host:port/database' or 'host=… user=… dbname=…'.")
  }

  /// The text up to its first quotation and from its last; a quoted "=" stays.
  private static func withoutQuotations(_ text: String) -> String {
    let text = text.replacingOccurrences(of: "\"=\"", with: "'='")
    guard let first = text.firstIndex(of: "\""), let last = text.lastIndex(of: "\""), first < last else {
      return text.replacingOccurrences(of: "\"", with: "")
    }
    return text[..<first] + "'…'" + text[text.index(after: last)...]
  }
}
