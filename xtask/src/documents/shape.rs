//! The shape of a Rust type as serde writes it: what a JSON document or a TOML file of it looks
//! like.

use std::collections::BTreeMap;

use syn::{Fields, GenericArgument, Item, PathArguments, Type};

use super::attributes::{Serde, derives, documentation};
use super::types::{Place, Types};

/// What may stand at a place of a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Text,
    Integer,
    /// A number; what is not finite is written as null.
    Number,
    Boolean,
    /// One word.
    Word(String),
    List(Box<Shape>),
    /// A list of a fixed length.
    Tuple(Vec<Shape>),
    /// An object with any keys.
    Map(Box<Shape>),
    /// An object with these keys; true where others are refused.
    Object(Vec<Field>, bool),
    /// An object with these keys, and with those of one case of each enum.
    Joined(Vec<Field>, Vec<Shape>),
    /// Null, or what is within.
    Nullable(Box<Shape>),
    /// One of several, each with what is said about it.
    OneOf(Vec<(String, Shape)>),
    /// A type with a name, described by itself.
    Named(String),
    Anything,
}

/// A key of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) about: String,
    pub(super) is_required: bool,
    pub(super) shape: Shape,
}

/// A type with a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Definition {
    pub(super) about: String,
    pub(super) shape: Shape,
}

/// The definitions that documents need, by name.
pub(super) type Definitions = BTreeMap<String, Definition>;

/// Reads shapes, and keeps the definitions that they name.
pub(super) struct Reader<'a> {
    types: &'a Types<'a>,
    pub(super) definitions: Definitions,
    /// The name that each type has in the definitions, by its library and its own name.
    known_as: BTreeMap<(String, String), String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(types: &'a Types<'a>) -> Self {
        Self { types, definitions: Definitions::new(), known_as: BTreeMap::new() }
    }

    /// The shape of the type called `name` at a place; its definition is kept.
    pub(super) fn named(&mut self, name: &str, place: Place<'_>) -> Shape {
        let Some((item, own)) = self.types.find(name, place) else { return Shape::Anything };
        let type_name = crate::api::text::name(item).unwrap_or_else(|| name.to_owned());
        let key = (own.library.to_owned(), type_name.clone());
        if let Some(known) = self.known_as.get(&key) {
            return Shape::Named(known.clone());
        }
        // Two crates may have a type of one name.
        let is_taken = self.definitions.contains_key(&type_name);
        let known = if is_taken { format!("{type_name}.{}", own.library) } else { type_name };
        self.known_as.insert(key, known.clone());
        // Before its fields are read: a type may contain itself.
        self.definitions.insert(known.clone(), Definition { about: String::new(), shape: Shape::Anything });
        let definition = self.definition(item, own);
        self.definitions.insert(known.clone(), definition);
        Shape::Named(known)
    }

    fn definition(&mut self, item: &Item, place: Place<'_>) -> Definition {
        let attributes = crate::api::text::attributes(item);
        let (serde, about) = (Serde::of(attributes), documentation(attributes));
        let through = serde.value("into").or_else(|| serde.value("try_from")).or_else(|| serde.value("from"));
        let shape = match (item, through) {
            (_, Some(through)) => {
                syn::parse_str::<Type>(through).map_or(Shape::Anything, |through| self.of(&through, place))
            }
            (Item::Struct(item), _) => self.fields(&item.fields, &serde, place),
            (Item::Enum(item), _) => self.variants(item, &serde, place),
            (Item::Type(item), _) => self.of(&item.ty, place),
            _ => Shape::Anything,
        };
        // What is written by hand is known to its author alone.
        let is_derived = ["Serialize", "Deserialize"].iter().any(|name| derives(attributes, name));
        Definition { about, shape: if is_derived || matches!(item, Item::Type(_)) { shape } else { Shape::Anything } }
    }

    fn fields(&mut self, fields: &Fields, serde: &Serde, place: Place<'_>) -> Shape {
        match fields {
            Fields::Unit => Shape::Nullable(Box::new(Shape::Anything)),
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => self.of(&fields.unnamed[0].ty, place),
            Fields::Unnamed(fields) => {
                Shape::Tuple(fields.unnamed.iter().map(|field| self.of(&field.ty, place)).collect())
            }
            Fields::Named(fields) if serde.has("transparent") => {
                fields.named.first().map_or(Shape::Anything, |field| self.of(&field.ty, place))
            }
            Fields::Named(fields) => {
                let (mut found, mut flattened) = (Vec::new(), Vec::new());
                for field in &fields.named {
                    self.field(field, serde, place, (&mut found, &mut flattened));
                }
                match flattened.is_empty() {
                    true => Shape::Object(found, serde.has("deny_unknown_fields")),
                    false => Shape::Joined(found, flattened),
                }
            }
        }
    }

    /// Appends a field; those of a flattened struct each by itself, a flattened enum as a whole.
    fn field(
        &mut self,
        field: &syn::Field,
        container: &Serde,
        place: Place<'_>,
        (found, flattened): (&mut Vec<Field>, &mut Vec<Shape>),
    ) {
        let serde = Serde::of(&field.attrs);
        if serde.has("skip") || serde.has("skip_serializing") && serde.has("skip_deserializing") {
            return;
        }
        let shape = match self.of(&field.ty, place) {
            // Numbers that are not finite are written as null by a function of the field.
            shape @ (Shape::Number | Shape::Integer) if is_written_by_a_function(&serde) => {
                Shape::Nullable(Box::new(shape))
            }
            _ if is_written_by_a_function(&serde) => Shape::Anything,
            shape => shape,
        };
        if serde.has("flatten") {
            self.flatten(&shape, found, flattened);
            return;
        }
        let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        let ident = ident.trim_start_matches("r#").to_owned();
        let name = serde.value("rename").map_or_else(|| renamed(&ident, container.value("rename_all")), str::to_owned);
        let is_optional = serde.has("default")
            || container.has("default")
            || serde.has("skip_serializing_if")
            || container.has("deny_unknown_fields") && matches!(shape, Shape::Nullable(_));
        found.push(Field {
            name,
            aliases: serde.aliases(),
            about: documentation(&field.attrs),
            is_required: !is_optional,
            shape,
        });
    }

    /// A case with its name among its fields.
    fn tagged(&self, tag: &str, name: &str, content: Shape) -> Shape {
        let (mut fields, mut flattened) = (vec![word_field(tag, name)], Vec::new());
        match content {
            Shape::Object(own, _) => fields.extend(own),
            named => self.flatten(&named, &mut fields, &mut flattened),
        }
        if flattened.is_empty() { Shape::Object(fields, false) } else { Shape::Joined(fields, flattened) }
    }

    fn flatten(&self, shape: &Shape, found: &mut Vec<Field>, flattened: &mut Vec<Shape>) {
        let (inner, is_optional) = match shape {
            Shape::Nullable(inner) => (&**inner, true),
            shape => (shape, false),
        };
        let Shape::Named(name) = inner else { return };
        match self.definitions.get(name).map(|definition| &definition.shape) {
            Some(Shape::Object(fields, _)) => found.extend(optional(fields, is_optional)),
            Some(Shape::Joined(fields, cases)) => {
                found.extend(optional(fields, is_optional));
                flattened.extend(cases.iter().cloned());
            }
            Some(Shape::OneOf(_)) => flattened.push(inner.clone()),
            _ => {}
        }
    }

    fn variants(&mut self, item: &syn::ItemEnum, serde: &Serde, place: Place<'_>) -> Shape {
        let mut found = Vec::new();
        for variant in &item.variants {
            let own = Serde::of(&variant.attrs);
            if own.has("skip") {
                continue;
            }
            let ident = variant.ident.to_string();
            let name =
                own.value("rename").map_or_else(|| renamed_variant(&ident, serde.value("rename_all")), str::to_owned);
            let container = Serde::of(&variant.attrs).closed_as(serde);
            let content = self.fields(&variant.fields, &container, place);
            let is_unit = matches!(variant.fields, Fields::Unit);
            let shape = match (serde.value("tag"), serde.value("content")) {
                _ if serde.has("untagged") || own.has("untagged") => content,
                (Some(tag), None) => {
                    self.tagged(tag, &name, if is_unit { Shape::Object(Vec::new(), false) } else { content })
                }
                (Some(tag), Some(key)) => {
                    let mut fields = vec![word_field(tag, &name)];
                    if !is_unit {
                        fields.push(plain_field(key, content));
                    }
                    Shape::Object(fields, false)
                }
                (None, _) if is_unit => Shape::Word(name),
                (None, _) => Shape::Object(vec![plain_field(&name, content)], true),
            };
            found.push((documentation(&variant.attrs), shape));
        }
        Shape::OneOf(found)
    }

    /// The shape of a type as it stands at a place.
    pub(super) fn of(&mut self, ty: &Type, place: Place<'_>) -> Shape {
        match ty {
            Type::Reference(reference) => self.of(&reference.elem, place),
            Type::Paren(inner) => self.of(&inner.elem, place),
            Type::Slice(list) => Shape::List(Box::new(self.of(&list.elem, place))),
            Type::Array(list) => Shape::List(Box::new(self.of(&list.elem, place))),
            Type::Tuple(tuple) => Shape::Tuple(tuple.elems.iter().map(|ty| self.of(ty, place)).collect()),
            Type::Path(path) => self.of_path(path, place),
            _ => Shape::Anything,
        }
    }

    fn of_path(&mut self, path: &syn::TypePath, place: Place<'_>) -> Shape {
        let Some(segment) = path.path.segments.last() else { return Shape::Anything };
        let arguments: Vec<&Type> = match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().filter_map(type_argument).collect(),
            _ => Vec::new(),
        };
        let name = segment.ident.to_string();
        match (name.as_str(), &arguments[..]) {
            ("String" | "str" | "char" | "PathBuf" | "Path", _) => Shape::Text,
            ("bool", _) => Shape::Boolean,
            ("f64" | "f32", _) => Shape::Number,
            // Checked numbers of the core, which one macro declares.
            ("Epsilon" | "Delta" | "Rho" | "Mu" | "StdDev" | "Probability", _) => Shape::Number,
            ("u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize", _)
            | ("NonZeroU32" | "NonZeroU64" | "NonZeroUsize" | "NonZeroU8", _) => Shape::Integer,
            ("Option", [inner]) => Shape::Nullable(Box::new(self.of(inner, place))),
            ("Vec" | "BTreeSet" | "VecDeque" | "Array1", [inner]) => Shape::List(Box::new(self.of(inner, place))),
            ("Box" | "Rc" | "Arc" | "Cow", [inner]) => self.of(inner, place),
            ("BTreeMap" | "HashMap", [_, value]) => Shape::Map(Box::new(self.of(value, place))),
            ("Value", _) => Shape::Anything,
            _ => self.named(&name, place),
        }
    }
}

/// The fields of a flattened struct, which a document lacks where the struct is missing.
fn optional(fields: &[Field], is_optional: bool) -> impl Iterator<Item = Field> {
    fields.iter().map(move |field| Field { is_required: field.is_required && !is_optional, ..field.clone() })
}

fn is_written_by_a_function(serde: &Serde) -> bool {
    serde.has("with") || serde.has("serialize_with")
}

fn type_argument(argument: &GenericArgument) -> Option<&Type> {
    if let GenericArgument::Type(ty) = argument { Some(ty) } else { None }
}

fn plain_field(name: &str, shape: Shape) -> Field {
    Field { name: name.to_owned(), aliases: Vec::new(), about: String::new(), is_required: true, shape }
}

fn word_field(name: &str, word: &str) -> Field {
    plain_field(name, Shape::Word(word.to_owned()))
}

/// A field under the rule of its container.
fn renamed(ident: &str, rule: Option<&str>) -> String {
    match rule {
        Some("kebab-case") => ident.replace('_', "-"),
        Some("camelCase") => {
            let mut words = ident.split('_');
            let first = words.next().unwrap_or_default().to_owned();
            words.fold(first, |text, word| text + &word[..1].to_uppercase() + &word[1..])
        }
        _ => ident.to_owned(),
    }
}

/// A variant under the rule of its enum.
fn renamed_variant(ident: &str, rule: Option<&str>) -> String {
    let between = match rule {
        Some("kebab-case") => "-",
        Some("snake_case") => "_",
        Some("lowercase") => return ident.to_lowercase(),
        Some("UPPERCASE") => return ident.to_uppercase(),
        _ => return ident.to_owned(),
    };
    let mut text = String::new();
    for letter in ident.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push_str(between);
        }
        text.extend(letter.to_lowercase());
    }
    text
}
