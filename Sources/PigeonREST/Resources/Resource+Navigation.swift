internal import Foundation

extension Resource {
    /// The resource of a path below this one. A slash at the start of the path makes no difference.
    public func child(_ subpath: String) -> Resource {
        service.resource(absoluteURL: url.child(subpath), orWrong: subpath)
    }

    /// The resource that a reference leads to from here, as a link on a web page does.
    public func relative(_ href: String) -> Resource {
        service.resource(absoluteURL: url.relative(href), orWrong: href)
    }

    /// The resource that a reference leads to, if there is one.
    public func optionalRelative(_ href: String?) -> Resource? {
        href.map(relative)
    }

    /// The resource with a query parameter set; `nil` removes it.
    public func withParam(_ name: String, _ value: String?) -> Resource {
        withParams([name: value])
    }

    /// The resource with query parameters set; `nil` removes one.
    public func withParams(_ params: [String: String?]) -> Resource {
        service.resource(absoluteURL: url.withParams(params), orWrong: url)
    }

    /// The resource with a query parameter repeated, once for each value; none removes it.
    ///
    /// An empty value is written as `name=`.
    public func withParam(_ name: String, values: [String]) -> Resource {
        service.resource(absoluteURL: url.withParams([name: values]), orWrong: url)
    }
}
