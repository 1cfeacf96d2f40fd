//! Which cells of a two-way table with capacities are exactly disclosed, in time linear in the
//! number of cells.
//!
//! A cell can change when some cycle of the residual graph (see
//! [`network`](crate::closed::network)) goes through it and is more than there and back. If only
//! one of its two arcs exists, that is when both ends are in one strongly connected component. If
//! both exist, it is when the cell is no bridge of that component taken as an undirected graph:
//! say no path leads from its column to its row without it; then in the part reached from the
//! column, some arc comes in from the rest, and a cycle through it uses the cell the other way.
//! (After Gusfield 1988.)

/// For each cell, row-major, whether all tables with these sums agree on it. `table` is one of
/// them.
pub(crate) fn pinned(columns: usize, capacity: &[i64], table: &[i64]) -> Vec<bool> {
    let graph = Graph { rows: table.len() / columns, columns, capacity, table };
    let component = graph.components();
    let is_bridge = graph.bridges(&component);
    let cells = (0..table.len()).map(|cell| {
        let (grows, shrinks) = (table[cell] < capacity[cell], table[cell] > 0);
        let together = component[cell / columns] == component[graph.rows + cell % columns];
        // One arc alone: the cell changes exactly when a path leads back, which is the same
        // component. Both arcs: a path that does not use the cell exists exactly when the cell is
        // no bridge.
        !(grows || shrinks) || !together || grows && shrinks && is_bridge[cell]
    });
    cells.collect()
}

/// Vertices are rows, then columns.
struct Graph<'a> {
    rows: usize,
    columns: usize,
    capacity: &'a [i64],
    table: &'a [i64],
}

const NONE: usize = usize::MAX;

impl Graph<'_> {
    fn vertices(&self) -> usize {
        self.rows + self.columns
    }

    /// How many cells a vertex has.
    fn width(&self, vertex: usize) -> usize {
        if vertex < self.rows { self.columns } else { self.rows }
    }

    /// The vertex across a cell, and the cell.
    fn across(&self, vertex: usize, place: usize) -> (usize, usize) {
        if vertex < self.rows {
            (self.rows + place, vertex * self.columns + place)
        } else {
            (place, place * self.columns + vertex - self.rows)
        }
    }

    /// Whether the arc out of the vertex over the cell exists.
    fn leads(&self, vertex: usize, cell: usize) -> bool {
        if vertex < self.rows { self.table[cell] < self.capacity[cell] } else { self.table[cell] > 0 }
    }

    /// Strongly connected components (Tarjan 1972), without recursion.
    fn components(&self) -> Vec<usize> {
        let n = self.vertices();
        let (mut order, mut low, mut component) = (vec![NONE; n], vec![0; n], vec![NONE; n]);
        // `next` is where each vertex goes on when the search comes back to it: the stack of a
        // recursion, held by hand, since a table of 1,000 x 1,000 cells is thousands of vertices
        // deep.
        let (mut next, mut found, mut stack) = (vec![0; n], 0, Vec::new());
        for start in 0..n {
            let mut path = if order[start] == NONE { vec![start] } else { Vec::new() };
            while let Some(&vertex) = path.last() {
                if next[vertex] == 0 && order[vertex] == NONE {
                    (order[vertex], low[vertex]) = (found, found);
                    found += 1;
                    stack.push(vertex);
                }
                if next[vertex] < self.width(vertex) {
                    let (other, cell) = self.across(vertex, next[vertex]);
                    next[vertex] += 1;
                    if !self.leads(vertex, cell) || component[other] != NONE {
                        continue;
                    }
                    if order[other] == NONE {
                        path.push(other);
                    } else {
                        low[vertex] = low[vertex].min(order[other]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&parent) = path.last() {
                    low[parent] = low[parent].min(low[vertex]);
                }
                // No arc leads back above this vertex, so what is left above it on the stack is
                // its component.
                while low[vertex] == order[vertex] && component[vertex] == NONE {
                    let member = stack.pop().expect("the vertex itself is on the stack");
                    component[member] = vertex;
                }
            }
        }
        component
    }

    /// Cells whose removal cuts their component, arcs taken as edges.
    fn bridges(&self, component: &[usize]) -> Vec<bool> {
        let n = self.vertices();
        let (mut order, mut low, mut next) = (vec![NONE; n], vec![0; n], vec![0; n]);
        let (mut is_bridge, mut found) = (vec![false; self.table.len()], 0);
        for start in 0..n {
            // Each vertex with the cell it was entered by.
            let mut path = if order[start] == NONE { vec![(start, NONE)] } else { Vec::new() };
            while let Some(&(vertex, entered)) = path.last() {
                if order[vertex] == NONE {
                    (order[vertex], low[vertex]) = (found, found);
                    found += 1;
                }
                if next[vertex] < self.width(vertex) {
                    let (other, cell) = self.across(vertex, next[vertex]);
                    next[vertex] += 1;
                    let is_edge = self.table[cell] < self.capacity[cell] || self.table[cell] > 0;
                    if !is_edge || cell == entered || component[other] != component[vertex] {
                        continue;
                    }
                    if order[other] == NONE {
                        path.push((other, cell));
                    } else {
                        low[vertex] = low[vertex].min(order[other]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[vertex]);
                    // Nothing below reaches the parent or above except over the cell that it was
                    // entered by.
                    is_bridge[entered] = low[vertex] > order[parent];
                }
            }
        }
        is_bridge
    }
}
