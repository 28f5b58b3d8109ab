extension ScalarProperties {
  /// The general categories by their names in lower case, short and long.
  static let categories: [String: [Unicode.GeneralCategory]] = {
    let names: [(String, [Unicode.GeneralCategory])] = [
      ("lu uppercaseletter", [.uppercaseLetter]), ("ll lowercaseletter", [.lowercaseLetter]),
      ("lt titlecaseletter", [.titlecaseLetter]), ("lm modifierletter", [.modifierLetter]),
      ("lo otherletter", [.otherLetter]),
      ("lc casedletter", [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]),
      ("l letter", [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter]),
      ("mn nonspacingmark", [.nonspacingMark]), ("mc spacingmark", [.spacingMark]),
      ("me enclosingmark", [.enclosingMark]),
      ("m mark combiningmark", [.nonspacingMark, .spacingMark, .enclosingMark]),
      ("nd decimalnumber digit", [.decimalNumber]), ("nl letternumber", [.letterNumber]),
      ("no othernumber", [.otherNumber]), ("n number", [.decimalNumber, .letterNumber, .otherNumber]),
      ("pc connectorpunctuation", [.connectorPunctuation]), ("pd dashpunctuation", [.dashPunctuation]),
      ("ps openpunctuation", [.openPunctuation]), ("pe closepunctuation", [.closePunctuation]),
      ("pi initialpunctuation", [.initialPunctuation]), ("pf finalpunctuation", [.finalPunctuation]),
      ("po otherpunctuation", [.otherPunctuation]),
      (
        "p punctuation punct",
        [
          .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
          .finalPunctuation, .otherPunctuation,
        ]
      ),
      ("sm mathsymbol", [.mathSymbol]), ("sc currencysymbol", [.currencySymbol]),
      ("sk modifiersymbol", [.modifierSymbol]), ("so othersymbol", [.otherSymbol]),
      ("s symbol", [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]),
      ("zs spaceseparator", [.spaceSeparator]), ("zl lineseparator", [.lineSeparator]),
      ("zp paragraphseparator", [.paragraphSeparator]),
      ("z separator", [.spaceSeparator, .lineSeparator, .paragraphSeparator]),
      ("cc control cntrl", [.control]), ("cf format", [.format]), ("cs surrogate", [.surrogate]),
      ("co privateuse", [.privateUse]), ("cn unassigned", [.unassigned]),
      ("c other", [.control, .format, .surrogate, .privateUse, .unassigned]),
    ]
    return Dictionary(
      uniqueKeysWithValues: names.flatMap { names, categories in
        names.split(separator: " ").map { (String($0), categories) }
      })
  }()

  /// The binary properties by their names in lower case, short and long.
  static let binary: [String: @Sendable (Unicode.Scalar.Properties) -> Bool] = {
    let names: [(String, @Sendable (Unicode.Scalar.Properties) -> Bool)] = [
      ("alpha alphabetic", { $0.isAlphabetic }), ("ahex asciihexdigit", { $0.isASCIIHexDigit }),
      ("bidic bidicontrol", { $0.isBidiControl }), ("bidim bidimirrored", { $0.isBidiMirrored }),
      ("cased", { $0.isCased }), ("ci caseignorable", { $0.isCaseIgnorable }),
      ("cwl changeswhenlowercased", { $0.changesWhenLowercased }),
      ("cwu changeswhenuppercased", { $0.changesWhenUppercased }),
      ("cwt changeswhentitlecased", { $0.changesWhenTitlecased }),
      ("cwcf changeswhencasefolded", { $0.changesWhenCaseFolded }),
      ("cwcm changeswhencasemapped", { $0.changesWhenCaseMapped }), ("dash", { $0.isDash }),
      ("di defaultignorablecodepoint", { $0.isDefaultIgnorableCodePoint }),
      ("dep deprecated", { $0.isDeprecated }),
      ("dia diacritic", { $0.isDiacritic }), ("emoji", { $0.isEmoji }),
      ("emod emojimodifier", { $0.isEmojiModifier }), ("ebase emojimodifierbase", { $0.isEmojiModifierBase }),
      ("epres emojipresentation", { $0.isEmojiPresentation }), ("ext extender", { $0.isExtender }),
      ("compex fullcompositionexclusion", { $0.isFullCompositionExclusion }),
      ("grbase graphemebase", { $0.isGraphemeBase }), ("grext graphemeextend", { $0.isGraphemeExtend }),
      ("hex hexdigit", { $0.isHexDigit }), ("idc idcontinue", { $0.isIDContinue }),
      ("ids idstart", { $0.isIDStart }), ("ideo ideographic", { $0.isIdeographic }),
      ("joinc joincontrol", { $0.isJoinControl }),
      ("loe logicalorderexception", { $0.isLogicalOrderException }),
      ("lower lowercase", { $0.isLowercase }), ("math", { $0.isMath }),
      ("nchar noncharactercodepoint", { $0.isNoncharacterCodePoint }),
      ("patsyn patternsyntax", { $0.isPatternSyntax }),
      ("patws patternwhitespace", { $0.isPatternWhitespace }),
      ("qmark quotationmark", { $0.isQuotationMark }), ("radical", { $0.isRadical }),
      ("sterm sentenceterminal", { $0.isSentenceTerminal }), ("sd softdotted", { $0.isSoftDotted }),
      ("term terminalpunctuation", { $0.isTerminalPunctuation }),
      ("uideo unifiedideograph", { $0.isUnifiedIdeograph }),
      ("upper uppercase", { $0.isUppercase }), ("vs variationselector", { $0.isVariationSelector }),
      ("space wspace whitespace", { $0.isWhitespace }), ("xidc xidcontinue", { $0.isXIDContinue }),
      ("xids xidstart", { $0.isXIDStart }),
    ]
    return Dictionary(
      uniqueKeysWithValues: names.flatMap { names, test in
        names.split(separator: " ").map { (String($0), test) }
      })
  }()
}
