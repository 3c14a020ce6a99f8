import Cryptography
import Glibc
import HTTP
import HTTPTransport
import RecordAPI
import RecordEngine
import RecordModel
import RecordStorage
import Sockets
import Thumbnails

/// `fogbase serve`: starts the server, runs it until a signal arrives, and shuts it down in order.
enum ServeCommand {
    static func run(_ configuration: Configuration) throws(Failure) -> ExitCode {
        let settings = configuration.settings
        if !configuration.overrides.isEmpty {
            Terminal.complain(
                "fogbase: The environment overrides the file: \(configuration.overrides.joined(separator: "; "))."
            )
        }
        ProcessSetup.turnSignalsIntoErrors()
        ProcessSetup.keepFreedMemory()
        let stop = StopSignal(isServer: true)
        let descriptors = ProcessSetup.raiseDescriptorLimit()
        do {
            let token = try AdministratorToken(configured: settings.adminToken, directory: settings.dataPath)
            let operatorToken = OperatorChannel.makeToken()
            let sender = WebhookTransport(settings)
            let registry = try openRegistry(
                settings, administrator: token.hash, operatorToken: operatorToken, webhookSender: sender)
            let maintenance = Maintenance(registry)
            do {
                try serve(
                    configuration, registry, token, operatorToken: operatorToken, descriptors: descriptors,
                    until: stop)
            } catch {
                // Close all databases in order, so that the next start needs no recovery. Background work would report
                // that they take no writes.
                Blocking.run {
                    await maintenance.end()
                    await sender.close()
                    await registry.close()
                }
                throw error
            }
            Blocking.run {
                await maintenance.end()
                // Ends all deliveries at once. They follow again after the next start.
                await sender.close()
                await registry.close()
                await registry.configuration.assets.thumbnails?.shutdown()
            }
            return .success
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure("\(error)")
        }
    }

    // MARK: Records

    /// Opens the default database. Any other database is opened by the first request that names it.
    private static func openRegistry(
        _ settings: Settings, administrator: Digest, operatorToken: String, webhookSender: WebhookTransport
    ) throws -> DatabaseRegistry {
        let limits = DatabaseSetup.limits(settings)
        let id = try DatabaseSetup.defaultDatabase(settings)
        var configuration = DatabaseRegistry.Configuration(
            dataPath: settings.dataPath, containers: settings.containers.compactMap(ContainerName.init),
            limits: limits, administrator: administrator, report: report)
        configuration.administrators = try Administrators(
            dataPath: settings.dataPath,
            passwords: PasswordWorkers(threads: min(2, HTTPServerConfiguration().loops)),
            operatorToken: SHA256.hash(utf8: operatorToken), limits: limits)
        configuration.defaultDatabase = id
        configuration.checkpoints = CheckpointPolicy(walBytes: settings.checkpointBytes)
        configuration.assets = AssetOptions(
            addressing: AssetAddressing(prefix: settings.publicURL?.text ?? ""), thumbnails: thumbnailPool(settings),
            thumbnailBytes: settings.thumbnailBytes, thumbnailPixels: settings.thumbnailPixels)
        configuration.webhookSender = webhookSender
        configuration.webhooks.report = report
        let registry = DatabaseRegistry(configuration)
        try Blocking.run { () async -> Result<Void, any Error> in
            do {
                try await registry.open(id)
                await registry.openDatabasesWithWork()
                return .success(())
            } catch {
                return .failure(error)
            }
        }.get()
        return registry
    }

    /// Returns the pool that makes thumbnails. All databases share it, because its limits apply to the whole machine.
    private static func thumbnailPool(_ settings: Settings) -> ThumbnailPool? {
        guard settings.thumbnailProgram != "none" else { return nil }
        var path = settings.dataPath
        if !path.hasPrefix("/") {
            guard let here = getcwd(nil, 0) else { return nil }
            defer { free(here) }
            path = String(cString: here) + "/" + path
        }
        return ThumbnailPool(
            program: settings.thumbnailProgram, scratch: path + "/.thumbnails",
            limits: ThumbnailLimits(processes: settings.thumbnailProcesses))
    }

    /// Stores and prints a new administrator's token, and records it in the audit log.
    private static func introduce(
        _ token: AdministratorToken, _ registry: DatabaseRegistry, _ settings: Settings
    ) throws {
        guard let new = token.newToken else { return }
        try token.keep(in: settings.dataPath)
        Terminal.say("Administrator's token: \(new)")
        guard let administrators = registry.configuration.administrators else { return }
        Blocking.run {
            do { try await administrators.noteNewToken() } catch {
                report("The new administrator's token could not be recorded in the audit log: \(error)")
            }
        }
    }

    // MARK: Requests

    @Sendable private static func report(_ sentence: String) {
        Terminal.complain("fogbase: \(sentence)")
    }

    private static func serve(
        _ configuration: Configuration, _ registry: DatabaseRegistry, _ token: AdministratorToken,
        operatorToken: String, descriptors: Int, until stop: StopSignal
    ) throws {
        let settings = configuration.settings
        var transport = try TransportSetup.configuration(settings, descriptors: descriptors)
        let console = Console(configured: settings.publicPath, basePath: settings.publicURL?.basePath ?? "")
        var options = RecordAPIConfiguration(
            defaultDatabase: try DatabaseSetup.defaultDatabase(settings), version: Version.text,
            signUp: signUp(settings.signUp), allowsAnonymousAccounts: settings.anonymousAccounts == .on,
            isDevelopmentOpen: settings.isDevelopmentOpen, metricsAccess: metricsAccess(settings.metricsAccess),
            publicURL: settings.publicURL, rateLimits: settings.rateLimits, metricsSources: [transport.metrics],
            report: report)
        options.requestLogSize = settings.logRequests
        options.isEncrypted = settings.hasTLS
        options.settings = configuration.effectiveSettings
        // An operator who has configured a token signs in with it.
        let needsSetUp = settings.adminToken.isEmpty && registry.configuration.administrators?.hasNone == true
        options.setUpCode = console != nil && needsSetUp ? SetUpCode() : nil
        let api = RecordAPI(registry: registry, configuration: options)
        transport.addresses = try TransportSetup.addresses(settings)
        let handler = ServerHandler(
            api: api, console: console, hosts: HostPolicy(settings.hosts), basePath: settings.publicURL?.basePath ?? "")
        let server = HTTPServer(configuration: transport, handler: handler)
        let addresses: [SocketAddress]
        let redirect: (server: HTTPServer<RedirectHandler>, addresses: [SocketAddress])?
        do {
            addresses = try server.start()
            do {
                let port = addresses.lazy.compactMap(\.port).first ?? 443
                redirect = try RedirectHandler.start(settings, beside: transport, to: port)
            } catch {
                Blocking.run { await server.shutdown(grace: .zero) }
                handler.closeReaders()
                throw error
            }
        } catch let failure as ListeningFailure {
            throw TransportSetup.failure(failure.error, at: failure.address, settings)
        } catch let error as SocketError {
            throw TransportSetup.failure(error, at: nil, settings)
        }
        do { try introduce(token, registry, settings) } catch {
            Blocking.run {
                await redirect?.server.shutdown(grace: .zero)
                await server.shutdown(grace: .zero)
            }
            handler.closeReaders()
            throw error
        }
        // The channel file of a killed process contains another token.
        OperatorChannel.remove(from: settings.dataPath)
        do {
            try OperatorChannel(
                addresses: addresses, isEncrypted: settings.hasTLS, token: operatorToken, hosts: settings.hosts
            )?.write(to: settings.dataPath)
        } catch {
            Terminal.complain("fogbase: The operator's commands cannot reach this server: \(error)")
        }
        announce(addresses, redirect?.addresses ?? [], settings)
        if let code = options.setUpCode {
            Terminal.say(
                "Make the first administrator here: \(consoleURL(addresses, settings))/#/welcome?code=\(code.text)")
        }
        console?.load()
        let sampling = MetricsSampling(api)
        stop.wait { reload(transport, settings) }
        sampling.end()
        OperatorChannel.remove(from: settings.dataPath)
        Terminal.complain("fogbase: Stopping; a second signal ends the process at once.")
        Blocking.run {
            await redirect?.server.shutdown(grace: .zero)
            await server.shutdown(grace: settings.shutdownTimeout)
        }
        handler.closeReaders()
    }

    /// Opens the log file again and loads the certificate again, as logrotate and certbot ask for by SIGHUP.
    private static func reload(_ transport: HTTPServerConfiguration, _ settings: Settings) {
        do throws(SocketError) { try transport.accessLog?.reopen() } catch {
            report("The log file \(settings.logFile) cannot be opened again: \(error). The log stays in the old file.")
        }
        if let server = transport.tls { TLSFiles(settings)?.reload(server) { report($0 + ".") } }
    }

    private static func signUp(_ setting: Settings.SignUp) -> RecordAPIConfiguration.SignUp {
        switch setting {
        case .open: .open
        case .closed: .closed
        case .invitation: .invitation
        }
    }

    private static func metricsAccess(_ setting: Settings.MetricsAccess) -> RecordAPIConfiguration.MetricsAccess {
        switch setting {
        case .administrators: .administrators
        case .loopback: .loopback
        case .everyone: .everyone
        }
    }

    /// The URL of the console for a browser on this machine, or the public one.
    private static func consoleURL(_ addresses: [SocketAddress], _ settings: Settings) -> String {
        if let url = settings.publicURL { return url.text + "/_" }
        let place = addresses.first.map { "\($0)" } ?? ""
        let port = place.split(separator: ":").last ?? ""
        let isAny = place.hasPrefix("0.0.0.0:") || place.hasPrefix("[::]:")
        return "\(scheme(settings))\(isAny ? "localhost:\(port)" : place)/_"
    }

    private static func scheme(_ settings: Settings) -> String { settings.hasTLS ? "https://" : "http://" }

    private static func announce(
        _ addresses: [SocketAddress], _ redirecting: [SocketAddress], _ settings: Settings
    ) {
        let places =
            addresses.map { address in
                if case .unix = address { "\(address)" } else { scheme(settings) + "\(address)" }
            } + redirecting.map { "http://\($0) (redirects)" }
        Terminal.say(
            "Fogbase \(Version.text) is listening on \(places.joined(separator: " and ")) (data: \(settings.dataPath))")
    }
}
