import ExampleSupport
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app with its API token. It also does what people do elsewhere: the developer in the console, and users on the
/// sign-in page.
struct App: Sendable {
    let example: Example
    let container: String
    private let apiToken: String
    /// What a web auth token of `--web-auth-token` is for: all users are this one.
    private let webAuthToken: String?
    private let administratorToken: String?

    /// Takes the tokens of the command line. Without an API token, it creates one as the administrator.
    init(_ example: Example) async throws {
        self.example = example
        container = example.options["container"] ?? "iCloud.fogbase.default"
        webAuthToken = example.options["web-auth-token"]
        administratorToken = example.options["admin-token"]
        if let token = example.options["api-token"] {
            apiToken = token
        } else {
            guard let administratorToken else {
                throw ExampleFailure("there is neither an API token nor an administrator's token; see --help")
            }
            struct Created: Decodable { var token: String }
            let created: Created = try await Self.native(
                "POST", "cloudkit/tokens", ["name": Example.fresh("CloudKit example")], token: administratorToken,
                example, container)
            apiToken = created.token
        }
    }

    /// The requests of a guest.
    var guest: WebServices { WebServices(server: example.server, container: container, apiToken: apiToken) }

    /// Gives all users the permission to change records of a type. A developer does this in the console; so it needs
    /// the administrator's token.
    func letUsersWrite(_ type: String) async throws {
        guard let administratorToken else { return }
        struct Grants: Codable { var grants: [String: [String]] }
        let grants = Grants(grants: ["_world": ["READ"], "_icloud": ["CREATE", "WRITE"]])
        let _: Grants = try await Self.native(
            "PUT", "grants/\(type)", grants, token: administratorToken, example, container)
    }

    // MARK: Users

    /// Creates an account, whose name is this one with a random end. The interface of the server has sign-ups;
    /// CloudKit's has none.
    func signUp(_ name: String) async throws -> User {
        let user = User(name: Example.fresh(name), password: "correct horse battery", app: self)
        if webAuthToken == nil {
            struct Account: Decodable {}
            let _: Account = try await Self.native(
                "POST", "users", ["name": user.name, "password": user.password], token: nil, example, container)
        }
        return user
    }

    /// A person with an account.
    struct User: Sendable {
        let name: String
        fileprivate let password: String
        fileprivate let app: App

        /// Signs in on a device. An app opens the page of `redirectURL`, which asks for name and password, and returns
        /// the web auth token. Here the program sends what the page would send.
        func signIn() async throws -> WebServices {
            var services = app.guest
            if let token = app.webAuthToken {
                services.session = WebSession(token)
                return services
            }
            struct Caller: Decodable {}
            do {
                let _: Caller = try await services.send("users/current", [String: String]())
                throw ExampleFailure("a guest is no user")
            } catch let error as CloudError where error.serverErrorCode == "AUTHENTICATION_REQUIRED" {
                guard let page = error.redirectURL,
                    let items = URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems,
                    let token = items.first(where: { $0.name == "token" })?.value
                else { throw ExampleFailure("the server names its sign-in page") }
                struct SignedIn: Decodable { var webAuthToken: String }
                let response: SignedIn = try await App.native(
                    "POST", "cloudkit/sign-in/\(token)", ["name": name, "password": password], token: nil,
                    app.example, app.container)
                services.session = WebSession(response.webAuthToken)
            }
            return services
        }
    }

    /// Sends a request of the server's own interface.
    private static func native<Response: Decodable>(
        _ method: String, _ path: String, _ body: some Encodable, token: String?, _ example: Example,
        _ container: String
    ) async throws -> Response {
        let address = "\(example.server.absoluteString)/\(path)?container=\(container)"
        guard let url = URL(string: address) else { throw ExampleFailure("'\(address)' is no URL") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = try JSONEncoder().encode(body)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode ?? 500 < 400 else {
            throw try JSONDecoder().decode(CloudError.self, from: data)
        }
        return try JSONDecoder().decode(Response.self, from: data)
    }
}
