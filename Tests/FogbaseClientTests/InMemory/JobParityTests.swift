import Foundation
import RecordWire
import Testing

/// Jobs of the double and of the real server.
@Suite struct JobParityTests {
    private static func hasEnded(_ job: JSONValue) -> Bool { job["ended"] != nil }

    @Test(.timeLimit(.minutes(1))) func `jobs are created, shown and listed alike`() async throws {
        try await Peer.compare { peer in
            try await peer.join("ada")
            try await peer.join("bob")
            for number in 0..<12 {
                try await peer.call(
                    "PUT", "/records/T/r\(number)", [:], #"{"fields":{"n":\#(number % 4)}}"#,
                    as: number.isMultiple(of: 2) ? "ada" : "bob")
            }
            let prefer = [("Prefer", "return=minimal, respond-async")]
            var paths: [String] = []
            func start(
                _ method: String, _ query: KeyValuePairs<String, String>, _ body: String? = nil, as user: String
            ) async throws {
                let made = try await peer.call(
                    method, "/query/T", query, body, as: user, fields: prefer, hides: true)
                let path = try #require(made.fields["location"])
                #expect(path == "/jobs/" + (made.tree["id"]?.string ?? "?"))
                paths.append(path)
                // The path differs between the two.
                try await peer.call("GET", path, as: user, until: Self.hasEnded)
            }
            try await start("DELETE", ["where": "n == %@", "arg": "1"], as: "ada")
            try await start("DELETE", ["where": "n == 1", "maxAffected": "5"], as: "bob")
            try await start("PATCH", ["where": "n >= 2"], #"{"fields":{"n":{"increment":10}}}"#, as: "ada")
            try await start("DELETE", ["where": "n == 99"], as: "admin")
            try await peer.call("GET", "/records/T")

            for command in ["pause", "resume", "cancel", "restart"] {
                try await peer.call("POST", "\(paths[0])/\(command)", as: "ada")
            }
            try await peer.call("GET", paths[0], as: "bob")
            try await peer.call("GET", paths[0], as: "admin")
            try await peer.call("GET", paths[0])
            try await peer.call("POST", paths[0] + "/cancel", as: "bob")
            try await peer.call("GET", "/jobs/none", as: "ada")
            try await peer.call("GET", "/jobs", as: "ada")
            try await peer.call("GET", "/jobs")
            try await peer.call("GET", "/jobs", ["unfinished": "true"], as: "bob")
            let page = try await peer.call("GET", "/jobs", ["limit": "1"], as: "ada")
            try await peer.call(
                "GET", "/jobs", ["limit": "1", "cursor": page.tree["cursor"]?.string ?? ""], as: "ada")
            try await peer.call("GET", "/jobs", ["cursor": "none"], as: "ada")

            // A key that is repeated gets the same job; a dry run and anonymous callers have none.
            let keyed = prefer + [("Idempotency-Key", "k")]
            let first = try await peer.call(
                "DELETE", "/query/T", ["where": "n > 0"], as: "ada", fields: keyed, hides: true)
            let second = try await peer.call(
                "DELETE", "/query/T", ["where": "n > 0"], as: "ada", fields: keyed, hides: true)
            #expect(first.tree["id"] == second.tree["id"])
            try await peer.call("GET", "/jobs/" + (first.tree["id"]?.string ?? ""), as: "ada", until: Self.hasEnded)
            try await peer.call("DELETE", "/query/T", ["all": "true", "dryRun": "true"], as: "ada", fields: prefer)
            try await peer.call("DELETE", "/query/T", ["all": "true"], fields: prefer)
            try await peer.call(
                "DELETE", "/query/T", ["where": "n >= 0", "maxAffected": "0"], as: "ada", fields: prefer)
        }
    }
}
