import ExampleSupport
import Foundation

/// A product with a price and a picture.
struct Good: Model {
    var name: String
    /// The cost as a fraction of the price, from 0 to 1.
    var costRate: Double
    var salesPrice: Int
    var image: Asset?

    static let recordType = "WebGood"
    static var names: [PartialKeyPath<Good>: String] {
        [\.name: "name", \.costRate: "costRate", \.salesPrice: "salesPrice", \.image: "image"]
    }

    init(name: String, costRate: Double, salesPrice: Int) {
        (self.name, self.costRate, self.salesPrice) = (name, costRate, salesPrice)
    }

    init(_ fields: Fields) throws {
        (name, costRate) = (try fields("name"), try fields("costRate"))
        (salesPrice, image) = (try fields("salesPrice"), try fields("image"))
    }

    var fields: [String: FieldValue] {
        [
            "name": name.fieldValue, "costRate": costRate.fieldValue, "salesPrice": salesPrice.fieldValue,
            "image": image.fieldValue,
        ]
    }
}

/// The products in the private database of the signed-in user.
struct Goods {
    let services: WebServices

    /// Adds a product, whose code is the name of its record. So a code is given once.
    func add(_ good: Good, code: String, image: Data? = nil) async throws -> Stored<Good> {
        var good = good
        if let image { good.image = try await services.upload(image, for: "image", of: code, type: Good.recordType) }
        return try await services.create(good, named: code)
    }

    /// Products in a price range, highest price first; at the same price, lowest cost rate first.
    func goods(priced range: ClosedRange<Int>) async throws -> [Stored<Good>] {
        let query = Query<Good>().filter(\.salesPrice, in: range).sorted(by: \.salesPrice, ascending: false)
            .sorted(by: \.costRate)
        return try await services.all(query)
    }
}

// MARK: - The application

extension Goods {
    /// Products with prices and large images in a private database.
    static func run(_ app: App) async throws {
        let example = app.example
        let catalogue = Goods(services: try await app.signUp("shop").signIn().inDatabase("private"))

        let picture = SamplePicture(width: 800, height: 600, orientation: 6).png
        let goods = [
            ("Pencil", 0.4, 99), ("Brush", 0.6, 100), ("Ink", 0.5, 300), ("Paper", 0.3, 300), ("Frame", 0.7, 500),
            ("Easel", 0.5, 501),
        ]
        for (index, (name, costRate, price)) in goods.enumerated() {
            let good = Good(name: name, costRate: costRate, salesPrice: price)
            _ = try await catalogue.add(good, code: "G-\(index + 1)", image: name == "Frame" ? picture : nil)
        }

        let found = try await catalogue.goods(priced: 100...500)
        for good in found.map(\.model) { example.say("  \(good.salesPrice)  \(good.costRate)  \(good.name)") }
        let names = ["Frame", "Paper", "Ink", "Brush"]
        try example.check("100 to 500 has both ends, by price and then by cost rate", found.map(\.model.name) == names)
        guard let image = found.first?.model.image else { throw ExampleFailure("the frame has an image") }
        try example.check("an image of \(image.size) bytes is more than a record holds", image.size > 1_048_576)
        let data = try await catalogue.services.download(image)
        try example.check("the image is read as it was", data == picture)

        try await change(found, in: catalogue, example)
        try await example.check("a guest has no private database", failsWith: "AUTHENTICATION_REQUIRED") {
            _ = try await Goods(services: app.guest.inDatabase("private")).goods(priced: 0...1_000)
        }
    }

    private static func change(_ goods: [Stored<Good>], in catalogue: Goods, _ example: Example) async throws {
        guard var brush = goods.last else { throw ExampleFailure("there is a brush") }
        brush.model.salesPrice = 98
        try await catalogue.services.update(brush, \.salesPrice)
        let cheap = try await catalogue.goods(priced: 0...99).map(\.model.name)
        try example.check("a changed price counts at once", cheap == ["Pencil", "Brush"])
        try await example.check("a code is given once", failsWith: "CONFLICT") {
            _ = try await catalogue.add(Good(name: "Pen", costRate: 0.5, salesPrice: 120), code: "G-1")
        }
        try await catalogue.services.delete(try await catalogue.goods(priced: 0...1_000).map(\.name))
        let left = try await catalogue.goods(priced: 0...1_000)
        try example.check("what is deleted is gone", left.isEmpty)
    }
}
