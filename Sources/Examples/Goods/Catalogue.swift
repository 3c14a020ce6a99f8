import FogbaseClient
import Foundation

/// The products in the private database of the signed-in user.
struct Catalogue {
    let database: Database

    /// Adds a product with an image from a file, such as a photo.
    func add(_ good: Good, image file: URL?) async throws -> Stored<Good> {
        var good = good
        if let file { good.image = try await database.upload(file, contentType: "image/png") }
        return try await database.create(good, named: good.code)
    }

    /// Products in a price range, highest price first; at the same price, lowest cost rate first.
    func goods(priced range: ClosedRange<Int>) async throws -> [Stored<Good>] {
        let query = Query<Good>()
            .filter(\.salesPrice, in: range)
            .sorted(by: \.salesPrice, ascending: false)
            .sorted(by: \.costRate)
        return try await database.fetch(query).items
    }

    /// Downloads the image as it was uploaded.
    func image(of good: Stored<Good>) async throws -> Data? {
        guard let image = good.image else { return nil }
        return try await database.data(of: .asset(image))
    }

    /// Downloads an upright thumbnail of the image for a list.
    func thumbnail(of good: Stored<Good>) async throws -> Data? {
        guard let image = good.image else { return nil }
        return try await database.thumbnail(of: .asset(image), Thumbnail(width: 64, height: 64, format: .png))
    }
}
