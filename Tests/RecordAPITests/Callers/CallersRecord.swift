import Foundation

/// A record of `CallersWorld`, as the test knows it.
struct CallersRecord: Sendable {
    let name: String
    let number: Int
    let place: CallersWorld.Place
    let creator: CallersWorld.Who
    /// The callers with READ permission for the record, of those that may query its place.
    let readers: Set<CallersWorld.Who>
    /// The name of another record of the place.
    let target: String?

    private static let words = ["alpha", "beta", "gamma", "delta"]

    var text: [String] { [Self.words[number % 4], Self.words[number / 2 % 4], "common"] }
    var title: [String] { number % 3 == 0 ? ["title", Self.words[number % 4]] : ["other"] }
    var tags: [String] { ["t\(number % 3)"] }
    var n: Int { number % 5 }
    /// How far the place is from (10, 10), in degrees of latitude.
    var degrees: Int { number % 7 }

    /// The JSON of its members.
    func members(_ names: [CallersWorld.Who: String]) -> String {
        var json = #"""
            "fields":{"text":"\#(text.joined(separator: " "))","title":"\#(title.joined(separator: " "))","n":\#(n),
            "d":\#(Double(number) / 4),"tags":["\#(tags[0])"],"place":{"latitude":\#(10 + degrees),"longitude":10},
            "at":{"value":\#(1_700_000_000_000 + number),"type":"TIMESTAMP"}
            """#
        if let target { json += #","ref":{"recordName":"\#(target)","action":"NONE"}"# }
        json += "}"
        if place == .posts, readers.count < CallersWorld.Place.posts.callers.count {
            let listed = [creator, .bob].filter { readers.contains($0) && $0 != creator } + [creator]
            let list = listed.map { #""\#(names[$0] ?? "")":["read","write"]"# } + [#""role:editors":["read"]"#]
            json += #","acl":{\#(list.joined(separator: ","))}"#
        }
        if place == .lists, readers.contains(.pat) { json += #","parent":{"recordName":"root"}"# }
        return json
    }

    /// Records of every place, of which each caller may read some.
    static func sample() -> [CallersRecord] {
        typealias Who = CallersWorld.Who
        let all: Set<Who> = [.readOnlyKey, .writingKey, .owner, .developer, .editor, .viewer, .bootstrap]
        var records: [CallersRecord] = []
        func add(_ name: String, _ number: Int, _ place: CallersWorld.Place, by creator: Who, _ readers: Set<Who>) {
            let others = records.filter { $0.place == place }
            let target = others.isEmpty || number % 2 == 0 ? nil : others[number * 7 % others.count].name
            records.append(
                CallersRecord(
                    name: name, number: number, place: place, creator: creator, readers: readers, target: target))
        }
        for number in 0..<18 {
            let creator: Who = number % 2 == 0 ? .ann : .bob
            add("plan-\(number)", number, .plans, by: creator, all.union([creator, .eve]))
            let lists: [Set<Who>] = [Set(CallersWorld.Place.posts.callers), [.ann, .eve], [.ann, .bob, .eve]]
            add("post-\(number)", number, .posts, by: .ann, all.union(lists[number % 3]))
            let shared: Set<Who> = number % 3 == 0 ? [] : [.pat, .rob]
            add("list-\(number)", number, .lists, by: .ann, shared.union([.ann, .owner, .bootstrap]))
            add("whole-\(number)", number, .whole, by: .ann, [.ann, .zoe, .owner, .bootstrap])
        }
        return records
    }
}

/// A condition on records of `CallersWorld`, in the language of queries and in Swift.
struct CallersCondition: Sendable {
    let text: String
    /// Whether the condition has a search that is not negated, as `rank()` needs.
    let ranks: Bool
    /// The fields that it searches for words.
    let searched: [String]
    /// - Parameter readable: The records that the caller may read, by name.
    let matches: @Sendable (CallersRecord, _ readable: [String: CallersRecord]) -> Bool

    init(
        _ text: String, ranks: Bool = false, searched: [String] = [],
        _ matches: @escaping @Sendable (CallersRecord, _ readable: [String: CallersRecord]) -> Bool
    ) {
        self.text = text
        self.ranks = ranks
        self.searched = searched
        self.matches = matches
    }

    private static func words(_ record: CallersRecord) -> [String] { record.text + record.title + record.tags }

    static let all: [CallersCondition] = [
        CallersCondition("") { _, _ in true },
        CallersCondition("FALSEPREDICATE") { _, _ in false },
        CallersCondition("text CONTAINS_ANY_TOKENS 'alpha beta'", ranks: true, searched: ["text"]) { record, _ in
            record.text.contains("alpha") || record.text.contains("beta")
        },
        CallersCondition("SELF CONTAINS_ALL_TOKENS 'alpha comm*'", ranks: true, searched: ["text", "title"]) {
            record, _ in
            words(record).contains("alpha")
        },
        CallersCondition("text CONTAINS_ANY_TOKENS 'nothing'", ranks: true, searched: ["text"]) { _, _ in false },
        CallersCondition(
            "title CONTAINS_ANY_TOKENS 'title' OR SELF CONTAINS 'gam*'", ranks: true, searched: ["title", "tags"]
        ) { record, _ in
            record.title.contains("title") || words(record).contains("gamma")
        },
        // Of the OR only one branch is left, whose scan has all searches in another order than the predicate.
        CallersCondition(
            "(n == 1 AND n == 2 OR title CONTAINS_ANY_TOKENS 'title') AND SELF CONTAINS 'alpha beta gamma t1'",
            ranks: true, searched: ["title", "text"]
        ) { record, _ in
            record.title.contains("title")
                && words(record).contains { ["alpha", "beta", "gamma", "t1"].contains($0) }
        },
        CallersCondition(
            "(ref.n == 77 AND title CONTAINS_ANY_TOKENS 'title other') OR text CONTAINS_ALL_TOKENS 'beta common'",
            ranks: true, searched: ["title", "text"]
        ) { record, _ in
            record.text.contains("beta")
        },
        CallersCondition("NOT text CONTAINS_ANY_TOKENS 'alpha' AND SELF CONTAINS 'common'", ranks: true) { record, _ in
            !record.text.contains("alpha")
        },
        CallersCondition("NOT text CONTAINS_ANY_TOKENS 'alpha'") { record, _ in !record.text.contains("alpha") },
        CallersCondition("n >= 2 AND n < 4") { record, _ in (2..<4).contains(record.n) },
        CallersCondition("n IN {0, 4} OR text BEGINSWITH 'ga'") { record, _ in
            record.n == 0 || record.n == 4 || record.text[0] == "gamma"
        },
        CallersCondition("ANY tags IN {'t1', 't2'}") { record, _ in record.number % 3 != 0 },
        CallersCondition("place IN circle(loc(10, 10), 300 km)") { record, _ in record.degrees <= 2 },
        CallersCondition("distance(place, loc(10, 10)) < 150 km AND SELF CONTAINS 'common'", ranks: true) {
            record, _ in
            record.degrees <= 1
        },
        CallersCondition("ref.n == 1 OR n == 3") { record, readable in
            record.n == 3 || record.target.flatMap { readable[$0] }?.n == 1
        },
        CallersCondition("ref.n != 1") { record, readable in record.target.flatMap { readable[$0] }?.n != 1 },
        CallersCondition("ref == NULL AND createdTimestamp > 0") { record, _ in record.target == nil },
        CallersCondition("recordName IN {'plan-1', 'post-0', 'list-1', 'whole-2'}") { record, _ in
            ["plan-1", "post-0", "list-1", "whole-2"].contains(record.name)
        },
    ]
}
