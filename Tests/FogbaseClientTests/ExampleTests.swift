#if FOGBASE_MACROS

    import Foundation
    import TestSupport
    import Testing

    /// The example applications, as people run them.
    @Suite struct ExampleTests {
        struct Outcome {
            var status: Int32
            /// The printed output, failures included.
            var text: String
        }

        /// Runs an example that was built with these tests, and waits for its end.
        private static func run(_ name: String, _ arguments: [String]) async throws -> Outcome {
            let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try Data().write(to: output)
            defer { try? FileManager.default.removeItem(at: output) }
            let handle = try FileHandle(forWritingTo: output)
            defer { try? handle.close() }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: LiveServer.program(name + "Example"))
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FOGBASE_") }
            process.standardOutput = handle
            process.standardError = handle
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            process.terminationHandler = { _ in end.finish() }
            try process.start()
            // Ends early where the test has run out of time.
            for await _ in ends {}
            if process.isRunning { process.terminate() }
            process.waitUntilExit()
            let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
            return Outcome(status: process.terminationStatus, text: text)
        }

        @Test(
            .timeLimit(.minutes(5)),
            arguments: [
                ("Forum", "fifty clients have pressed at once, and no like is lost"),
                ("Goods", "100 to 500 has both ends, by price and then by cost rate"),
                ("Calendar", "a deletion comes to the tablet"),
                ("CleanUp", "[########################################] 100 %"),
                ("TypedPosts", "a loop reads all pages"),
            ])
        func `an example does what it says, and again on the same server`(name: String, line: String) async throws {
            let server = try LiveServer()
            defer { withExtendedLifetime(server) {} }
            for _ in 1...2 {
                let outcome = try await Self.run(name, ["--server", server.url.absoluteString])
                #expect(outcome.status == 0, "\(outcome.text)")
                #expect(outcome.text.contains(line))
            }
        }

        @Test(
            .timeLimit(.minutes(5)),
            arguments: [
                ("forum", "twenty clients have pressed at once, and no like is lost"),
                ("goods", "100 to 500 has both ends, by price and then by cost rate"),
                ("calendar", "a deletion comes to the tablet"),
                ("cleanup", "[########################################] 100 %"),
                ("typed-posts", "a loop reads all pages"),
            ])
        func `an example does the same over CloudKit's protocol, and again`(name: String, line: String) async throws {
            let server = try LiveServer()
            defer { withExtendedLifetime(server) {} }
            for _ in 1...2 {
                let outcome = try await Self.run(
                    "CloudKit",
                    [
                        "--server", server.url.absoluteString, "--app", name, "--admin-token",
                        LiveServer.administratorToken,
                    ])
                #expect(outcome.status == 0, "\(outcome.text)")
                #expect(outcome.text.contains(line))
            }
        }

        @Test func `an example uses the tokens that it is given`() async throws {
            let server = try LiveServer()
            defer { withExtendedLifetime(server) {} }
            let token = try await server.post(#"{"name":"App"}"#, "cloudkit", "tokens")
            let (id, text) = (try #require(token["id"] as? String), try #require(token["token"] as? String))
            let account = #"{"name":"ann","password":"correct horse battery"}"#
            _ = try await server.post(account, "users")
            let session = try await server.post(account, "cloudkit", "sign-in", id)
            let user = try #require(session["webAuthToken"] as? String)
            for _ in 1...2 {
                let outcome = try await Self.run(
                    "CloudKit",
                    [
                        "--server", server.url.absoluteString, "--app", "goods", "--api-token", text,
                        "--web-auth-token", user,
                    ])
                #expect(outcome.status == 0, "\(outcome.text)")
            }
            let none = try await Self.run("CloudKit", ["--server", server.url.absoluteString])
            #expect(none.status == 1 && none.text.hasPrefix("Failed: there is an API token"), "\(none.text)")
        }

        @Test func `an example without its server ends with a sentence`() async throws {
            let server = try LiveServer()
            let address = server.url.absoluteString
            server.kill()
            let outcome = try await Self.run("TypedPosts", ["--server", address])
            #expect(outcome.status == 1)
            #expect(outcome.text.hasPrefix("Failed: The server cannot be reached"))
        }

        @Test(arguments: [("--help", 0, "--server URL"), ("--port", 1, "'--port' is not known")])
        func `an example prints its usage`(argument: String, status: Int32, line: String) async throws {
            let outcome = try await Self.run("Forum", [argument])
            #expect(outcome.status == status)
            #expect(outcome.text.contains(line))
        }
    }

#endif
