import FogbaseClient
import Foundation
import RecordWire
import Testing

/// The double shares records and zones like the real server.
@Suite(.serialized) struct SharingParityTests {
    private static let own: KeyValuePairs = ["database": "private", "zone": "Lists"]

    private static func put(
        _ name: String, _ title: String, under parent: String? = nil, _ peer: Peer,
        _ place: KeyValuePairs<String, String> = own, as user: String = "ada"
    ) async throws {
        let link = parent.map { #","parent":{"recordName":"\#($0)"}"# } ?? ""
        try await peer.call(
            "PUT", "/records/Item/\(name)", place, #"{"fields":{"title":"\#(title)"}\#(link)}"#, as: user)
    }

    /// Ada's zone with two lists, of which `home` is shared with Bob as READ_ONLY and with Cat as READ_WRITE.
    private static func share(
        _ peer: Peer, whole: Bool = false, publicPermission: String = "NONE"
    ) async throws -> String {
        for name in ["ada", "bob", "cat", "dan"] { try await peer.join(name) }
        try await peer.call("PUT", "/zones/Lists", ["database": "private"], as: "ada")
        for (name, parent) in [
            ("home", nil), ("milk", "home"), ("fresh", "milk"), ("own", nil), ("hidden", "own"),
        ] { try await put(name, name, under: parent, peer) }
        let root = whole ? "" : #""forRecord":{"recordName":"home"},"#
        let participants = [("bob", "READ_ONLY"), ("cat", "READ_WRITE")].map { name, permission in
            #"{"userRecordName":"\#(peer.record(of: name))","permission":"\#(permission)"}"#
        }
        let made = try await peer.call(
            "PUT", "/records/cloudkit.share/share", own,
            #"{"fields":{"cloudkit.title":{"value":"Home"}},\#(root)"publicPermission":"\#(publicPermission)","participants":[\#(participants.joined(separator: ",")),{"label":"grandma"}]}"#,
            as: "ada")
        return try #require(made.tree["shortGUID"]?.string)
    }

    private static func shared(_ peer: Peer, _ more: (String, String)? = nil) -> KeyValuePairs<String, String> {
        guard let more else { return ["database": "shared", "zone": "Lists", "owner": peer.record(of: "ada")] }
        return ["database": "shared", "zone": "Lists", "owner": peer.record(of: "ada"), more.0: more.1]
    }

    /// Asks for everything that somebody may find.
    private static func look(_ peer: Peer, as user: String?) async throws {
        let place = shared(peer)
        try await peer.call("GET", "/zones", ["database": "shared"], as: user)
        try await peer.call("GET", "/records/Item", place, as: user)
        try await peer.call("GET", "/query/Item", shared(peer, ("where", "title != 'x'")), as: user)
        for name in ["home", "milk", "hidden", "none"] {
            try await peer.call("GET", "/records/Item/\(name)", place, as: user)
        }
        try await peer.call("GET", "/records/cloudkit.share/share", place, as: user)
        try await peer.call("GET", "/changes", place, as: user)
    }

    @Test(arguments: [false, true]) func `shares are made, joined, changed, left and ended alike`(
        whole: Bool
    ) async throws {
        try await Peer.compare { peer in
            let guid = try await Self.share(peer, whole: whole)
            for user in ["ada", "bob", "cat", "dan", nil, "admin"] {
                try await peer.call("GET", "/shares/\(guid)", as: user)
                try await peer.call("GET", "/shares/none", as: user)
                try await Self.look(peer, as: user)
            }
            for user in ["bob", "cat", "dan", nil, "admin", "ada", "bob"] {
                try await peer.call("POST", "/shares/\(guid)/accept", as: user)
            }
            for user in ["bob", "cat", "dan"] { try await Self.look(peer, as: user) }
            try await peer.call("GET", "/records/cloudkit.share/share", Self.own, as: "ada")
            try await peer.call("GET", "/records/cloudkit.share", Self.own, as: "ada")
            try await peer.call("GET", "/records/Item", Self.own, as: "ada")
            // An invitation works once.
            let share = try await peer.call("GET", "/records/cloudkit.share/share", Self.own, as: "ada")
            let invitation = share.tree["participants"]?.array?.compactMap { $0["shortGUID"]?.string }.first
            let link = try #require(invitation)
            for user in ["dan", "bob"] { try await peer.call("POST", "/shares/\(link)/accept", as: user) }
            try await Self.look(peer, as: "dan")
            // Dan leaves, Bob is removed, and the share ends.
            try await peer.call("DELETE", "/records/cloudkit.share/share", Self.shared(peer), as: "dan")
            try await Self.look(peer, as: "dan")
            try await peer.call(
                "PATCH", "/records/cloudkit.share/share", Self.own,
                #"{"fields":{},"participants":[{"userRecordName":"\#(peer.record(of: "cat"))","permission":"READ_ONLY"}]}"#,
                as: "ada")
            for user in ["bob", "cat"] { try await Self.look(peer, as: user) }
            try await peer.call("DELETE", "/records/cloudkit.share/share", Self.own, as: "ada")
            try await Self.look(peer, as: "cat")
            try await peer.call("GET", "/records/Item/home", Self.own, as: "ada")
        }
    }

    @Test(arguments: [false, true]) func `participants write alike`(whole: Bool) async throws {
        try await Peer.compare { peer in
            let guid = try await Self.share(peer, whole: whole)
            for user in ["bob", "cat"] { try await peer.call("POST", "/shares/\(guid)/accept", as: user) }
            let place = Self.shared(peer)
            for user in ["bob", "cat"] {
                try await Self.put("milk", "by \(user)", peer, place, as: user)
                try await Self.put("new-\(user)", "new", under: "home", peer, place, as: user)
                for parent in [nil, "own", "none"] {
                    try await Self.put("stray-\(user)", "stray", under: parent, peer, place, as: user)
                }
                try await Self.put("hidden", "by \(user)", peer, place, as: user)
                try await peer.call(
                    "PATCH", "/records/Item/milk", place, #"{"fields":{},"parent":null}"#, as: user)
                try await peer.call(
                    "PATCH", "/records/Item/home", place, #"{"fields":{},"parent":{"recordName":"milk"}}"#, as: user)
                try await peer.call(
                    "PUT", "/records/cloudkit.share/mine", place, #"{"fields":{},"forRecord":{"recordName":"milk"}}"#,
                    as: user)
                try await peer.call("PUT", "/zones/Other", ["database": "shared"], as: user)
                for name in ["fresh", "hidden", "home"] {
                    try await peer.call("DELETE", "/records/Item/\(name)", place, as: user)
                }
            }
            try await peer.call("GET", "/records/Item", Self.own, as: "ada")
            try await peer.call("GET", "/changes", Self.own, as: "ada")
        }
    }

    @Test func `what cannot be shared is rejected alike`() async throws {
        try await Peer.compare { peer in
            _ = try await Self.share(peer)
            for (name, body) in [
                ("again", #""forRecord":{"recordName":"home"}"#), ("zone", #""publicPermission":"READ_ONLY""#),
                ("none", #""forRecord":{"recordName":"none"}"#),
                ("bad", #""forRecord":{"recordName":"own"},"publicPermission":"ALL""#),
                (
                    "who",
                    #""forRecord":{"recordName":"own"},"participants":[{"userRecordName":"_00000000000000000000000000000000"}]"#
                ),
                ("own", #""forRecord":{"recordName":"own"},"parent":{"recordName":"home"}"#),
            ] {
                try await peer.call(
                    "PUT", "/records/cloudkit.share/\(name)", Self.own, #"{"fields":{},\#(body)}"#, as: "ada")
            }
            for place: KeyValuePairs<String, String> in [[:], ["database": "private"]] {
                try await peer.call("PUT", "/records/cloudkit.share/s", place, #"{"fields":{}}"#, as: "ada")
                try await Self.put("child", "x", under: "home", peer, place)
            }
            for (name, parent) in [("home", "fresh"), ("home", "home"), ("milk", "none")] {
                try await Self.put(name, "x", under: parent, peer)
            }
            for query: KeyValuePairs<String, String> in [
                ["database": "shared"], ["database": "shared", "zone": "Lists"],
                ["database": "shared", "owner": peer.record(of: "ada")],
            ] {
                for user in ["bob", nil, "admin"] { try await peer.call("GET", "/records/Item", query, as: user) }
            }
        }
    }

    @Test func `the feeds of a shared database tell alike what comes and goes`() async throws {
        try await Peer.compare { peer in
            let guid = try await Self.share(peer)
            var zones = ""
            var zone = ""
            func follow(_ user: String = "bob") async throws {
                let list = try await peer.call(
                    "GET", "/changes/zones", ["database": "shared", "since": zones], as: user)
                zones = list.tree["token"]?.string ?? ""
                let page = try await peer.call("GET", "/changes", Self.shared(peer, ("since", zone)), as: user)
                zone = page.tree["token"]?.string ?? (page.status == 410 ? "" : zone)
            }
            try await follow()
            try await peer.call("POST", "/shares/\(guid)/accept", as: "bob")
            try await follow()
            try await follow()
            try await Self.put("milk", "Milk 2", peer)
            try await Self.put("own", "own", under: "home", peer)
            try await follow()
            try await Self.put("own", "own", peer)
            try await peer.call("PATCH", "/records/Item/own", Self.own, #"{"fields":{},"parent":null}"#, as: "ada")
            try await follow()
            try await peer.call("DELETE", "/records/Item/milk", Self.own, as: "ada")
            try await follow()
            try await peer.call(
                "PATCH", "/records/cloudkit.share/share", Self.own,
                #"{"fields":{},"participants":[{"userRecordName":"\#(peer.record(of: "bob"))","permission":"READ_WRITE"}]}"#,
                as: "ada")
            try await follow()
            try await follow()
            try await peer.call("DELETE", "/records/Item/home", Self.own, as: "ada")
            try await follow()
            try await peer.call("DELETE", "/zones/Lists", ["database": "private"], as: "ada")
            try await follow()
        }
    }

    @Test func `a public share is open to everyone with the link, alike`() async throws {
        try await Peer.compare { peer in
            let guid = try await Self.share(peer, publicPermission: "READ_ONLY")
            try await peer.call("GET", "/shares/\(guid)", as: "dan")
            try await peer.call("POST", "/shares/\(guid)/accept", as: "dan")
            try await Self.look(peer, as: "dan")
            for permission in ["READ_WRITE", "NONE"] {
                try await peer.call(
                    "PATCH", "/records/cloudkit.share/share", Self.own,
                    #"{"fields":{},"publicPermission":"\#(permission)"}"#, as: "ada")
                try await Self.put("dans", "Dan", under: "home", peer, Self.shared(peer), as: "dan")
                try await Self.look(peer, as: "dan")
            }
        }
    }
}
