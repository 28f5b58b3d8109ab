import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

/// The texts that are made of the table of options.
@Suite struct ManualTests {
  private func words(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func `every option has a name of its own, a group and a summary`() {
    let names = ToolOption.all.flatMap { [$0.name, $0.shortName].compactMap { $0 } }
    #expect(Set(names).count == names.count)
    #expect(ToolOption.all.allSatisfy { $0.name.hasPrefix("--") && !$0.summary.isEmpty })
    #expect(ToolOption.all.allSatisfy { $0.choices.isEmpty || $0.isValued })
  }

  @Test func `every option is accepted under the name in the table`() {
    for option in ToolOption.all {
      let argument = option.isValued ? [option.choices.first?.word ?? "1"] : []
      do throws(Exit) {
        _ = try Invocation(arguments: [option.name] + argument)
      } catch {
        #expect(error.message?.contains("unknown option") != true, "\(option.name)")
      }
    }
  }

  @Test func `the help shows examples before options, and fits on a terminal`() throws {
    let text = Help.text
    let example = try #require(text.range(of: "livestore-watch orders.ndjson"))
    let option = try #require(text.range(of: "--key PATH"))
    #expect(example.lowerBound < option.lowerBound)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    for option in ToolOption.all {
      #expect(text.contains("\n  \(option.heading)"), "\(option.name)")
      #expect(words(text).contains(words(option.summary)), "\(option.name)")
      for choice in option.choices { #expect(text.contains("\(choice.word):"), "\(choice.word)") }
    }
    for status in ExitStatus.allCases {
      #expect(words(text).contains("\(status.rawValue) \(status.meaning)"))
    }
    #expect(words(text).contains("printed in their shortest form: 1.50 as 1.5, 1e3 as 1000"))
  }

  @Test func `the page about filters has filters that are read`() throws {
    let page = try Tool.run(["--help", "filters"])
    #expect(page.status == 0 && page.errors == "" && page.lines.allSatisfy { $0.count <= 110 })
    for (title, entries) in FilterManual.sections {
      #expect(page.output.contains("\n\(title):\n"))
      for entry in entries {
        #expect(page.output.contains("\n  \(entry.key)  "))
        let text = title == "Paths" ? entry.key + " == 1" : entry.key
        let filter = try FilterSyntax(parsing: text)
        try filter.check(Document.self)
      }
    }
  }

  /// groff reports what it does not understand on standard error, which is read with its output.
  @Test func `the manual page is set without a warning and names every option, status and example`() throws {
    let arguments = ["-man", "-Tutf8", "-ww", "-rLL=200n"]
    guard let page = try SystemProgram.run("groff", arguments, input: ManualPage.text + "\n") else { return }
    #expect(!page.contains("warning") && !page.contains("error:"), "\(page.prefix(400))")
    // Headings and arguments are printed by codes of the terminal, or by overprinting.
    let plain = words(page.replacing(#/\u{1B}\[[0-9;]*m|.\u{8}/#, with: ""))
    for option in ToolOption.all {
      let isNamed = plain.contains("\(option.heading) \(words(option.summary))")
      #expect(isNamed, "\(option.heading)")
    }
    let statuses = ExitStatus.allCases.filter { !plain.contains("\($0.rawValue) \($0.meaning)") }
    #expect(statuses.isEmpty)
    #expect(plain.contains("livestore-watch orders.ndjson --where 'status == \"open\"' --sort priority:desc"))
  }

  @Test func `the manual and completions are written to standard output`() throws {
    #expect(try Tool.run(["--man"]).output == ManualPage.text + "\n")
    #expect(try Tool.run(["--completions", "fish"]).output == Shell.fish.completions + "\n")
  }
}
