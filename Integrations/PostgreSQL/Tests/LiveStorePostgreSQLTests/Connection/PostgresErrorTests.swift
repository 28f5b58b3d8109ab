import Testing

import LiveStorePostgreSQL

@Suite struct `Errors of PostgreSQL` {
  @Test func `a code is a pattern`() {
    do {
      throw PostgresError(PostgresError.slotMissing, "The slot is gone.")
    } catch PostgresError.slotMissing {
    } catch {
      Issue.record("the pattern did not match")
    }
  }

  @Test func `a code is a member of its type`() {
    do {
      throw PostgresError(PostgresError.slotMissing, "The slot is gone.")
    } catch let error as PostgresError where error.code == .slotMissing {
    } catch {
      Issue.record("the code is another")
    }
    #expect(PostgresError.Code.spoolFailed == PostgresError.spoolFailed)
  }

  /// Bug: what servers, tables and values are called reached terminals and logs as it was.
  @Test func `a message is one line of a log, whatever the server says`() {
    let error = PostgresError(
      PostgresError.serverError,
      "a\u{1B}]0;title\u{7}\u{9B}31m\r\nfatal: b\n\u{301}c\u{202E}d\u{2028}e\u{FEFF}f.")
    for text in [error.message, error.description, error.errorDescription ?? "\n"] {
      #expect(
        text.unicodeScalars.allSatisfy { scalar in
          ![.control, .format, .lineSeparator, .paragraphSeparator].contains(
            scalar.properties.generalCategory)
        }, "\(text.debugDescription)")
    }
    #expect(error.message == #"a\u001b]0;title\u0007\u009b31m fatal: b \#u{301}c\u202ed\u2028e\ufefff."#)
    let usual = "Größe „é“ \u{1F469}\u{200D}\u{1F680} نمی\u{200C}خواهم\tx\nDETAIL y"
    let kept = usual.replacing("\t", with: " ").replacing("\n", with: " ")
    #expect(PostgresError(PostgresError.serverError, usual).message == kept)
  }

  /// Bug: the last letter was compared with marks of punctuation.
  @Test func `what a server says becomes a sentence in time by its length`() {
    let marks = "x" + String(repeating: "\u{301}\u{323}", count: 200_000)
    let isSentence = PostgresError.sentence(marks).unicodeScalars.elementsEqual(
      ["X"] + marks.unicodeScalars.dropFirst() + ["."])
    #expect(isSentence)
    #expect(PostgresError.sentence("done!") == "Done!")
    #expect(PostgresError.sentence("ß is no letter") == "SS is no letter.")
    #expect(PostgresError.sentence("") == "")
    let code = PostgresError.code(ofSQLState: "08" + marks)
    #expect(code == PostgresError.serverError)
    #expect(PostgresError.code(ofSQLState: "08006") == PostgresError.connectionFailed)
  }

  /// Bug: excerpts were of so many Characters, of which one may have any number of marks.
  @Test func `a message is of a length that a log can hold`() {
    let marks = "a" + String(repeating: "\u{301}", count: 1_000_000)
    let error = PostgresError(PostgresError.serverError, marks)
    #expect(
      error.message.utf8.count < 20_000
        && error.message.unicodeScalars.starts(with: "a\u{301}".unicodeScalars))
    #expect(error.message.hasSuffix("…"))
  }

  @Test(arguments: ["08006", "57P01", "57P02", "57P03", "57P05", "53300", "53200"])
  func `an error that may pass by itself is transient`(sqlState: String) {
    let code = PostgresError.code(ofSQLState: sqlState)
    #expect(PostgresError(code, "", sqlState: sqlState).isTransient)
  }

  @Test(arguments: ["28P01", "28000", "42P01", "42704", "3D000", "23505", "25006", "40001", "55006", "57014"])
  func `an error that needs an administrator's action is not transient`(sqlState: String) {
    let code = PostgresError.code(ofSQLState: sqlState)
    #expect(!PostgresError(code, "", sqlState: sqlState).isTransient)
  }

  @Test(arguments: [
    "secretive", "postgresql://ann:secret", "postgresql://ann:secret%zz@host/db",
    "postgresql://ann:sec/ret@host/db",
    "postgresql://ann:pass@secret@host/db", "postgresql://ann:pw@host/db?secret=1&sec",
    "host=h password='secret",
    "host=h password=a secret", "postgresql://ann:secret@[::1/db", "postgresql://ann:secret@host:secret/db",
    "host=h port=secret", "host=a,b port=1,2,3 password=secret", "host=h password=secret\0",
    "host=h port=70000 password=secret",
    "password=secret \"=\" secret \"x\"", "postgresql://ann:pw@host/db?application_name=a%00secret",
    // Marks that make another Character of a quotation mark, a separator or an "@".
    "postgresql://ann:=\"\u{301}secret%zz@host/db", "postgresql://ann:=\"secret%zz@host/db",
    "host=h \u{301}secret\u{600}", "host=h secret\"\u{301} x", "host=h \u{301}secret",
    "postgresql://ann:pass@secret@\u{301}host/db",
    "postgresql://ann:pass@@secret@host/db", "postgresql://ann:pass@%2Fsecret@host/db",
    "host=/tmp,secret@host password=x",
  ])
  func `a malformed connection string is an error that shows no part of it`(string: String) {
    let error = #expect(throws: PostgresError.self) { try ConnectionOptions(string) }
    #expect(error?.code == PostgresError.invalidConnectionString)
    #expect(error?.isTransient == false)
    let text = "\(error.map { "\($0)" } ?? "")"
    #expect(!text.contains("secret") && !text.contains("ret@"), "\(text)")
  }

  @Test(arguments: [
    "", "host=a,b,c port=5432 dbname=db", "postgresql://ann:s%40cret@host:5432/db?sslmode=require",
    "user=ann",
    "postgresql://a:1,b:2/db", "host=/tmp", "host=@abstract", "postgresql:///db?host=/tmp&port=5433",
  ])
  func `URIs and lists of options are accepted`(string: String) throws { _ = try ConnectionOptions(string) }

  /// Bug: a host whose name has such a word was taken for one without encryption, and the next one was not tried.
  @Test func `words in the name of a host do not say that an error is about encryption`() {
    let host = #"could not translate host name "certificate-sslmode" to address: Name or service not known"#
    #expect(!PostgresError.isAboutEncryption(host))
    let file = #"connection to server at "db", port 1 failed: root certificate file "/x" does not exist"#
    #expect(PostgresError.isAboutEncryption(file))
  }

  @Test func `each host of a list is tried with its port`() throws {
    let options = try ConnectionOptions("host=a,b port=1,2 password=x")
    #expect(options.hosts.map { $0["host"] } == ["a", "b"])
    #expect(options.hosts.map { $0["port"] } == ["1", "2"])
    #expect(options.hosts.map { $0["password"] } == ["x", "x"])
    let uri = try ConnectionOptions("postgresql://a,b:5433/db?target_session_attrs=prefer-standby")
    #expect(uri.hosts.map { $0["host"] } == ["a", "b", "a", "b"])
    #expect(uri.hosts.map { $0["port"] } == [nil, "5433", nil, "5433"])
    #expect(uri.hosts.map { $0["target_session_attrs"] } == ["standby", "standby", "any", "any"])
  }
}
