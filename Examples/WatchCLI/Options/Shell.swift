import LiveStore

/// A shell for which there are completions.
package enum Shell: String, OptionChoice, Hashable {
  case bash, zsh, fish

  /// How its completions are installed.
  package var summary: String {
    switch self {
    case .bash: "source <(livestore-watch --completions bash)"
    case .zsh: "save as _livestore-watch in a folder of fpath"
    case .fish: "save as ~/.config/fish/completions/livestore-watch.fish"
    }
  }

  /// The script that the shell reads.
  package var completions: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }
}

extension Shell {
  /// Bash splits words at `=` and `:`, so that an option, `=` and its argument are three words.
  private static var bashScript: String {
    let options = ToolOption.all
    let names = options.flatMap(\.spellings).joined(separator: " ")
    var cases = options.filter { !$0.choices.isEmpty }.map { option in
      let words = option.choices.map(\.word).joined(separator: " ")
      return
        "    \(option.spellings.joined(separator: "|"))) COMPREPLY=($(compgen -W \"\(words)\" -- \"$word\")); return ;;"
    }
    let found = options.filter(\.isFound).flatMap(\.spellings) + [":"]
    cases.append("    \(found.joined(separator: "|"))) _livestore_watch_found; return ;;")
    let free = options.filter { $0.isValued && $0.choices.isEmpty && !$0.isFound }.flatMap(\.spellings)
    cases.append("    \(free.joined(separator: "|"))) return ;;")
    return """
      # Completions of bash for livestore-watch.
      _livestore_watch_found() {
        local head="${word%"${word##*,}"}" found
        # Bash quotes nothing within quotation marks.
        if [[ $word == [\\'\\"]* ]]; then return; fi
        while IFS= read -r found; do
          COMPREPLY+=("$head$(printf %q "$found")")
        done < <("${COMP_WORDS[0]}" --complete "${COMP_LINE:0:COMP_POINT}" "${COMP_LINE:COMP_POINT}" 2>/dev/null)
      }
      _livestore_watch() {
        local word="${COMP_WORDS[COMP_CWORD]}" option="${COMP_WORDS[COMP_CWORD-1]}"
        COMPREPLY=()
        if [[ $word == "=" ]]; then
          word=""
        elif [[ $option == "=" ]]; then
          option="${COMP_WORDS[COMP_CWORD-2]}"
          # The title of a column.
          if [[ $option != -* ]]; then option=":"; fi
        fi
        case "$option" in
      \(cases.joined(separator: "\n"))
        esac
        # Without an answer, bash offers files.
        if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "\(names)" -- "$word")); fi
      }
      complete -o bashdefault -o default -F _livestore_watch livestore-watch
      """
  }

  private static var zshScript: String {
    let specifications = ToolOption.all.map { option in
      let summary = zshEscaped(option.shortSummary)
      guard let argument = option.argument else { return "  '\(option.name)[\(summary)]' \\" }
      let offered =
        switch option.completion {
        case .choice(let choices):
          "((\(choices.map { "\($0.word)\\:\"\(zshPlain($0.summary))\"" }.joined(separator: " "))))"
        case .paths, .queries: "_livestore_watch_found"
        case .files: "_files"
        case .none: " "
        }
      return "  '\(option.name)=[\(summary)]:\(argument):\(offered)' \\"
    }
    return """
      #compdef livestore-watch
      # Completions of zsh for livestore-watch.
      _livestore_watch_found() {
        local -a found
        found=("${(@f)$("$words[1]" --complete "${words[1,CURRENT]}" "${words[CURRENT+1,-1]}" 2>/dev/null)}")
        compset -P '*,'
        compadd -- "${(@)found:#}"
      }
      _livestore_watch() {
        _arguments -S \\
      \(specifications.map { "  \($0)" }.joined(separator: "\n"))
          '*:file:_files'
      }
      if [ "$funcstack[1]" = "_livestore-watch" ]; then
        _livestore_watch "$@"
      else
        compdef _livestore_watch livestore-watch
      fi
      """
  }

  private static func zshEscaped(_ text: String) -> String {
    text.replacingScalars(["'": "'\\''", "[": "\\[", "]": "\\]", ":": "\\:", "\\": "\\\\"])
  }

  /// The meaning of a word, which zsh evaluates twice, without characters that mean something to it.
  private static func zshPlain(_ text: String) -> String {
    String(text.filter { $0.isLetter || $0.isNumber || " ,;./_-=<>+".contains($0) })
  }

  private static var fishScript: String {
    let lines = ToolOption.all.map { option in
      var line = "complete -c livestore-watch -l \(option.name.dropFirst(2))"
      if let short = option.shortName { line += " -s \(short.dropFirst())" }
      if option.isValued { line += option.completion == .files ? " -r" : " -x" }
      if !option.choices.isEmpty {
        let words = option.choices.map { "\($0.word)\\t\(fishQuoted($0.summary))" }
        line += " -a \"\(words.joined(separator: " "))\""
      }
      if option.isFound { line += " -a '(__livestore_watch_found)'" }
      return line + " -d \(fishQuoted(option.shortSummary))"
    }
    let head = """
      # Completions of fish for livestore-watch.
      function __livestore_watch_found
        set -l head (string match -r '^(?:--[a-z-]+=)?\\K.*,' -- (commandline -ct))
        set -l before (commandline -cp | string collect)
        set -l after (commandline -p | string collect | string sub -s (math 1 + (string length -- "$before")) | string collect)
        for found in (livestore-watch --complete "$before" "$after" 2>/dev/null)
          echo "$head$found"
        end
      end
      """
    return ([head] + lines).joined(separator: "\n")
  }

  /// Quoted so that it may also stand in double quotes.
  private static func fishQuoted(_ text: String) -> String {
    let plain = String(text.unicodeScalars.filter { $0 != "\"" && $0 != "$" })
    return "'\(Quoting.escaped(plain, ["'", "\\"], with: "\\"))'"
  }
}

extension ToolOption {
  /// Whether the tool is asked for what is offered for the argument.
  fileprivate var isFound: Bool { completion == .paths || completion == .queries }

  /// The summary up to a semicolon.
  fileprivate var shortSummary: String {
    String(summary.unicodeScalars.prefix { $0 != ";" })
  }
}
