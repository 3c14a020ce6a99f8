import ExampleSupport
import Foundation

/// The example applications, each with CloudKit Web Services instead of the Swift client.
@main enum Program {
    private static let apps: [(name: String, run: @Sendable (App) async throws -> Void)] = [
        ("forum", { try await Forum.run($0) }), ("goods", { try await Goods.run($0) }),
        ("calendar", { try await Planner.run($0) }), ("cleanup", { try await CleanUp.run($0) }),
        ("typed-posts", { try await TypedPosts.run($0) }),
    ]

    private static let options = [
        ExampleOption("app", "NAME", "forum, goods, calendar, cleanup, typed-posts, or all of them: all"),
        ExampleOption("container", "NAME", "the container (iCloud.fogbase.default)"),
        ExampleOption("api-token", "TOKEN", "an API token of the container", variable: "FOGBASE_API_TOKEN"),
        ExampleOption("web-auth-token", "TOKEN", "a user, instead of new accounts: goods, cleanup, typed-posts"),
        ExampleOption(
            "admin-token", "TOKEN", "the administrator's token: creates an API token",
            variable: "FOGBASE_ADMIN_TOKEN"),
    ]

    static func main() async {
        await Example.run("The example applications over CloudKit Web Services.", options: options) { example in
            let wanted = example.options["app"] ?? "all"
            let chosen = apps.filter { wanted == "all" || wanted == $0.name }
            guard !chosen.isEmpty else { throw ExampleFailure("there is no app '\(wanted)'; see --help") }
            let app = try await App(example)
            for (name, run) in chosen {
                example.say("\(name):")
                try await run(app)
            }
        }
    }
}

extension Example {
    /// Prints a claim after checking that a request fails with a code.
    ///
    /// - Throws: `ExampleFailure` if the request succeeds; the error if it is another one.
    func check(_ claim: String, failsWith code: String, _ request: () async throws -> Void) async throws {
        do {
            try await request()
        } catch let error as CloudError where error.serverErrorCode == code {
            return say("  ✓ \(claim): \(error.reason)")
        }
        throw ExampleFailure("it is not so that \(claim)")
    }
}
