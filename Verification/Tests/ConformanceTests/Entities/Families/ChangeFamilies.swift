import LiveStore

/// Rows that link, one by one and in lists.
enum Linked {
  static let family = CaseFamily(Item.self, Tgt.self, Deep.self, Snd.self, Other.self, Linking.self)

  struct Item: CaseEntity {
    var id = 0, value = 0
    var link: Ref<Tgt>?
    var second: Ref<Snd>?
    var links = RefList<Tgt>()

    static let columns = Columns(\Item.id, \.value, \.link, \.second, \.links)
  }

  struct Tgt: CaseEntity {
    var id = 0, value = 0, value2 = 0
    var deep: Ref<Deep>?

    static let columns = Columns(\Tgt.id, \.value, \.value2, \.deep)
  }

  struct Deep: CaseEntity {
    var id = 0, value = 0

    static let columns = Columns(\Deep.id, \.value)
  }

  struct Snd: CaseEntity {
    var id = 0, value = 0

    static let columns = Columns(\Snd.id, \.value)
  }

  struct Other: CaseEntity {
    var id = 0, value = 0

    static let columns = Columns(\Other.id, \.value)
  }

  struct Linking: CaseEntity {
    var id = 0
    var link: Ref<Item>?

    static let columns = Columns(\Linking.id, \.link)
  }
}

/// One number.
enum Plain {
  static let family = CaseFamily(C.self)

  struct C: CaseEntity {
    var id = 0, v = 0

    static let columns = Columns(\C.id, \.v)
  }
}

/// A text with a shared target.
enum Pair {
  static let family = CaseFamily(A.self, B.self)

  struct A: CaseEntity {
    var id = 0, s = ""
    var link: Ref<B>?

    static let columns = Columns(\A.id, \.s, \.link)
  }

  struct B: CaseEntity {
    var id = 0, n = 0

    static let columns = Columns(\B.id, \.n)
  }
}

/// Two numbers, and lists of such rows.
enum Numbers {
  static let family = CaseFamily(N.self, L.self)

  struct N: CaseEntity {
    var id = 0, v = 0, w = 0

    static let columns = Columns(\N.id, \.v, \.w)
  }

  struct L: CaseEntity {
    var id = 0
    var items = RefList<N>()

    static let columns = Columns(\L.id, \.items)
  }
}

/// One number, and lists of such rows.
enum Integers {
  static let family = CaseFamily(I.self, L.self)

  struct I: CaseEntity {
    var id = 0, n = 0

    static let columns = Columns(\I.id, \.n)
  }

  struct L: CaseEntity {
    var id = 0
    var items = RefList<I>()

    static let columns = Columns(\L.id, \.items)
  }
}

/// A list and its targets.
enum Origins {
  static let family = CaseFamily(Org.self, Tg.self)

  struct Org: CaseEntity {
    var id = 0
    var arr = RefList<Tg>()

    static let columns = Columns(\Org.id, \.arr)
  }

  struct Tg: CaseEntity {
    var id = 0, v = 0, v2 = 0

    static let columns = Columns(\Tg.id, \.v, \.v2)
  }
}

/// Links to texts.
enum Texts {
  static let family = CaseFamily(LS.self, S.self)

  struct LS: CaseEntity {
    var id = 0
    var s: Ref<S>?

    static let columns = Columns(\LS.id, \.s)
  }

  struct S: CaseEntity {
    var id = 0, t = ""

    static let columns = Columns(\S.id, \.t)
  }
}

/// A text to be put in sections.
enum Words {
  static let family = CaseFamily(W.self)

  struct W: CaseEntity {
    var id = 0, name = ""

    static let columns = Columns(\W.id, \.name)
  }
}

/// Single objects with all kinds of properties.
enum Observed {
  static let family = CaseFamily(T.self, O.self)

  struct T: CaseEntity {
    var id = 0, v1 = 0, v2 = 0
    var name: String?

    static let columns = Columns(\T.id, \.v1, \.v2, \.name)
  }

  struct O: CaseEntity {
    var id = 0, value = 0
    var link: Ref<T>?
    var links = RefList<O>()
    var nums: [Int] = []

    static let columns = Columns(\O.id, \.value, \.link, \.links, \.nums)
  }
}
